import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Related } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import { copiesLast, type Board } from '#work/board.ts';
import { delistings, listedAt } from '#work/listed.ts';
import { readStanding, signatureOf, type SaidOfResult, type Signature } from '#work/say.ts';
import { opinionsOn } from '#work/verdicts.ts';
import { dayAt, DAY_MS, timestampAt } from '#workspace/text/time.ts';
import { titleOf } from './heads.ts';
import { toNamed } from './views.ts';
import type { WorkAt } from './work-reader.ts';

/** A confirmed RESULT, with the texts that a page takes lines from. */
export interface ListedFinding {
  readonly rootId: string;
  readonly threadTitle: string;
  readonly opener: Opener;
  readonly result: Pick<Post, 'id' | 'message' | 'prefix'>;
  /** The numbers of messages of its thread that both name, by id. */
  readonly named: Readonly<Record<string, number>>;
  readonly check: Pick<Post, 'id' | 'message' | 'prefix'> & Signature & { readonly name: string | null };
  readonly others: SaidOfResult['others'];
}

/** Who has written the first message of a thread. */
export type Opener = Signature & { readonly name: string | null };

export const openerOf = (board: Board, first: Post | undefined): Opener => ({
  name: first?.name ?? null,
  ...(first && signatureOf(board, first)),
});

export const MAX_FINDINGS = 4;
/** Those that are read, since what reports hold or the operator hides is no longer there. */
const MAX_READ = 12;

/** A confirmed RESULT, and a REVIEW that confirms it. */
export interface Finding {
  readonly result: Step;
  readonly check: Step;
}

/** @returns the newest RESULT of each of the threads that were listed last, at most twelve */
export function newestFindings({ board, listed }: Pick<WorkAt, 'board' | 'listed'>): Finding[] {
  return listed.slice(0, MAX_READ).flatMap(({ shown }) => {
    const result = board.results.get(shown[0]?.id ?? '');
    const [check] = result === undefined ? [] : opinionsOn(result).checked;
    return result === undefined || check === undefined ? [] : [{ result: result.step, check: check.step }];
  });
}

/** What a feed has: a RESULT that was listed, or the message that took one off the lists. */
export interface FeedEntry {
  readonly step: Step;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly delisted?: Step;
}

/** @returns the newest first, copies behind others: of each thread the first of a day */
function firstOfDay(board: Board, all: readonly FeedEntry[]): FeedEntry[] {
  const byDay = new Map<string, FeedEntry>();
  for (const one of newestFirst(all)) byDay.set(`${dayAt(one.at)} ${one.step.rootId}`, one);
  return copiesLast(board, newestFirst([...byDay.values()]), ({ step }) => step);
}

const newestFirst = (all: readonly FeedEntry[]): FeedEntry[] => all.toSorted((a, b) => b.at - a.at);

/** @returns the RESULTs that a feed has, the one that was listed last first: one a thread a day */
export function listedByDay({ board, lists }: Pick<WorkAt, 'board' | 'lists'>): FeedEntry[] {
  const all = lists.confirmed.map((step) => {
    const result = board.results.get(step.id);
    return { step, at: (result && listedAt(result)) ?? 0 };
  });
  return firstOfDay(board, all);
}

/**
 * Finds what took RESULTs off the lists over all threads within seven days: one message a thread a day.
 * @param now milliseconds since 1970
 */
export async function findDelistings({ board }: Pick<WorkAt, 'board'>, now: number): Promise<FeedEntry[]> {
  const threads = new Set(Array.from(board.results.values(), ({ thread }) => thread));
  const since = timestampAt(now - 7 * DAY_MS);
  const found: FeedEntry[] = [];
  for (const thread of threads)
    await visitInSlices(delistings(thread, since), (one) => {
      if (one === undefined) return;
      const { step } = one.by;
      found.push({ step, at: Date.parse(step.createdAt), delisted: one.result.step });
    });
  return firstOfDay(board, found);
}

const dayOf = ({ createdAt }: Step): string => createdAt.slice(0, 'YYYY-MM-DD'.length);

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
  const { others } = readStanding(board, id);
  const opener = openerOf(board, first);
  return [
    { rootId, threadTitle: titleOf(first), opener, result, named, check: { ...review, ...signed }, others },
  ];
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
