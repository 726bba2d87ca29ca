import { compareSketches, parseSketch, type Overlap } from '#message/sketch.ts';
import type { Step } from '#message/step.ts';
import { mayChange } from './authors.ts';
import { judge } from './standing.ts';
import { isEnded, type Idea, type Original, type Result, type Standing } from './work-model.ts';

/** The newest RESULTs of its thread that a new one is compared with. */
const MAX_COMPARED = 200;
/** The originals that one RESULT may have, or the twins of one IDEA. */
export const MAX_ORIGINALS = 20;

/** @param earlier RESULTs of the thread, oldest first @returns those that have most lines of a step */
export function findOriginals(step: Step, earlier: readonly Result[]): Original[] {
  if (step.sketch === undefined) return [];
  const sketch = hashesOf(step);
  const found: Original[] = [];
  for (const result of earlier.slice(-MAX_COMPARED)) {
    if (result.step.sketch === undefined) continue;
    const overlap = compareSketches(sketch, hashesOf(result.step));
    if (overlap !== null) found.push({ ...overlap, result });
    if (found.length === MAX_ORIGINALS) break;
  }
  return found;
}

const knownHashes = new WeakMap<Step, Uint32Array>();

function hashesOf(step: Step): Uint32Array {
  let hashes = knownHashes.get(step);
  if (hashes === undefined) {
    hashes = parseSketch(step.sketch ?? '');
    knownHashes.set(step, hashes);
  }
  return hashes;
}

/**
 * The earlier message of another writer that has most lines of a RESULT or the first line of an IDEA, and how
 * many lines are equal.
 */
export interface Resemblance extends Overlap {
  readonly id: string;
}

/**
 * @returns the earlier RESULT that shares the largest part of the lines; only a RESULT of another writer that
 *   is not rejected, replaced, withdrawn or a copy itself
 */
export function findOriginal(result: Result): Resemblance | undefined {
  if (result.originals.length === 0) return undefined;
  const originals = originalsOf(result).filter(
    (original) => stands(original.result) && originalsOf(original.result).length === 0,
  );
  const [first] = originals.sort((a, b) => b.equal / b.of - a.equal / a.of);
  return first && { id: first.result.step.id, equal: first.equal, of: first.of };
}

/** The originals without those that the RESULT may change or corrects, and without copies of these. */
function originalsOf({ step, author, originals }: Result): Result['originals'][number][] {
  const improves = ({ result }: Result['originals'][number]): boolean =>
    mayChange(author, result.author) || step.corrects.includes(result.step.id);
  return originals.filter((original) => !improves(original) && !original.result.originals.some(improves));
}

const FALLEN: readonly Standing[] = ['replaced', 'withdrawn', 'notConfirmed'];

const stands = (result: Result): boolean => !FALLEN.includes(judge(result).standing);

/**
 * @returns the oldest IDEA of the seven days before with the same first line, by another writer and not ended
 */
export function findTwin({ author, twins }: Idea): Resemblance | undefined {
  const twin = twins.find((one) => !mayChange(author, one.author) && !isEnded(one));
  return twin && { id: twin.step.id, equal: 1, of: 1 };
}
