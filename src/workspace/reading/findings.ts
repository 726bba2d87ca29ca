import { hash } from 'node:crypto';
import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Related } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { createFinder, type Finding } from '#work/findings.ts';
import { signatureOf, type Signature } from '#work/say.ts';
import { DAY_MS, HOUR_MS, dayAt, timestampAt } from '#workspace/text/time.ts';
import { toTitle } from '#workspace/text/title.ts';
import { toNamed } from './views.ts';

/** A confirmed RESULT, with the texts that a page takes lines from. */
export interface ListedFinding {
  readonly rootId: string;
  readonly threadTitle: string;
  readonly result: Pick<Post, 'id' | 'message' | 'prefix'>;
  /** The numbers of messages of its thread that both name, by id. */
  readonly named: Readonly<Record<string, number>>;
  readonly check: Pick<Post, 'id' | 'message' | 'prefix'> & Signature & { readonly name: string | null };
}

/** Findings of home are of so many days, and so many signers were trusted in their threads a day ago. */
const DAYS = 30;
const SIGNERS = 3;
export const MAX_FINDINGS = 4;
/** Those that are read, since what reports hold or the operator hides is no longer there. */
const MAX_DRAWN = 12;
/** The newest confirmed RESULTs of each day that are drawn from. */
const MAX_OF_DAY = 60;

/**
 * Draws the findings of a day, each of another thread. Each of the last 30 days has one before any has a second,
 * since one party may have made many threads of one day.
 * @param confirmed RESULTs whose standing that is, newest first
 * @param now milliseconds since 1970
 */
export async function drawFindings(
  board: Board,
  confirmed: readonly Step[],
  now: number,
): Promise<Finding[]> {
  const [today, since] = [dayAt(now), timestampAt(now - DAYS * DAY_MS)];
  // No writer can choose a place.
  const shuffle = <One>(list: readonly One[], keyOf: (one: One) => string): One[] =>
    list
      .map((one) => [hash('sha256', `${today} ${keyOf(one)}`), one] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, one]) => one);
  const byDay = new Map<string, Step[]>();
  for (const step of confirmed) {
    if (step.createdAt < since) break;
    const day = dayOf(step);
    const steps = byDay.get(day) ?? [];
    byDay.set(day, steps);
    if (steps.length < MAX_OF_DAY) steps.push(step);
  }
  const days = shuffle([...byDay], ([day]) => day).map(([, steps]) => shuffle(steps, ({ id }) => id));
  const find = createFinder(board, { signers: SIGNERS, before: timestampAt(now - DAY_MS) });
  const found = new Map<string, Finding>();
  const left: Step[] = [];
  const add = (step: Step): boolean => {
    const finding = found.size < MAX_DRAWN && !found.has(step.rootId) ? find(step) : undefined;
    if (finding !== undefined) found.set(step.rootId, finding);
    return finding !== undefined;
  };
  for (const steps of days) {
    let isFound = false;
    await visitInSlices(steps, (step) => {
      if (isFound) left.push(step);
      else isFound = add(step);
    });
  }
  await visitInSlices(left, add);
  return [...found.values()];
}

const dayOf = ({ createdAt }: Step): string => createdAt.slice(0, 'YYYY-MM-DD'.length);

/** Feeds have what was confirmed so long ago in threads where so many signers were trusted. */
const SETTLED = { signers: 2, ageMs: HOUR_MS };

/** @returns the first of these RESULTs that feeds of results have, as for `drawFindings` */
export async function findSettled(
  board: Board,
  confirmed: readonly Step[],
  now: number,
  limit: number,
): Promise<Step[]> {
  const find = createFinder(board, { signers: SETTLED.signers, before: timestampAt(now - SETTLED.ageMs) });
  const found: Step[] = [];
  await visitInSlices(confirmed, (step) => {
    if (found.length < limit && find(step) !== undefined) found.push(step);
  });
  return found;
}

/** @returns the messages of their own thread that steps name */
export const namedBySteps = (board: Board, steps: readonly Step[]): string[] =>
  steps.flatMap(({ rootId, refersTo }) =>
    refersTo.filter((id) => id === rootId || board.authorOfStep(id)?.rootId === rootId),
  );

/** @returns nothing if the RESULT, its check or the first message of its thread is not visible */
export function toListed(
  board: Board,
  { result: step, check }: Finding,
  { posts, numbers }: Related,
): ListedFinding[] {
  const { id, rootId } = step;
  const [first, result, review] = [rootId, id, check.id].map((one) => posts.get(one)?.record);
  if (first === undefined || result === undefined || review === undefined) return [];
  const signed = { name: review.name ?? null, ...signatureOf(board, check) };
  const named = toNamed(namedBySteps(board, [step, check]), numbers);
  return [{ rootId, threadTitle: toTitle(first.message), result, named, check: { ...review, ...signed } }];
}

/** Counts steps by the day of their time, `YYYY-MM-DD`. */
export async function countByDay(steps: readonly Step[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await visitInSlices(steps, (step) => {
    const day = dayOf(step);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  });
  return counts;
}
