import { compareSketches, parseSketch, type Overlap } from '#message/sketch.ts';
import type { Step } from '#message/step.ts';
import { mayChange } from './authors.ts';
import { judge } from './standing.ts';
import { isEnded, type Idea, type Original, type Result, type Standing } from './work-model.ts';

/** RESULTs of a thread that a new one is compared with. */
const MAX_COMPARED = 200;
/** Of these, as originals of one RESULT. */
export const MAX_ORIGINALS = 20;

/** @param earlier RESULTs of the thread, oldest first */
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

/** How many lines of a message stand in an earlier one of another writer, or the first lines of two IDEAs. */
export interface Resemblance extends Overlap {
  readonly id: string;
}

/** @returns the earlier RESULT of another writer, which stands and is no copy, with most of its lines */
export function findOriginal(result: Result): Resemblance | undefined {
  if (result.originals.length === 0) return undefined;
  const originals = originalsOf(result).filter(
    (original) => stands(original.result) && originalsOf(original.result).length === 0,
  );
  const [first] = originals.sort((a, b) => b.equal / b.of - a.equal / a.of);
  return first && { id: first.result.step.id, equal: first.equal, of: first.of };
}

/** Without those that it may change or says that it corrects, and without copies of these. */
function originalsOf({ step, author, originals }: Result): Result['originals'][number][] {
  const improves = ({ result }: Result['originals'][number]): boolean =>
    mayChange(author, result.author) || step.corrects.includes(result.step.id);
  return originals.filter((original) => !improves(original) && !original.result.originals.some(improves));
}

const FALLEN: readonly Standing[] = ['replaced', 'withdrawn', 'notConfirmed'];

const stands = (result: Result): boolean => !FALLEN.includes(judge(result).standing);

/** @returns the oldest IDEA of another writer, of the last seven days and not ended, with the same first line */
export function findTwin({ author, twins }: Idea): Resemblance | undefined {
  const twin = twins.find((one) => !mayChange(author, one.author) && !isEnded(one));
  return twin && { id: twin.step.id, equal: 1, of: 1 };
}
