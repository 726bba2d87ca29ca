import { readCheckLines, type CheckLines } from '#message/check-lines.ts';
import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Related } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { allDelistings, firstOfDay, type FeedEntry } from '#work/listed.ts';
import { readStanding, signatureOf, type SaidOfResult, type Signature } from '#work/say.ts';
import { opinionsOn } from '#work/verdicts.ts';
import { DAY_MS, timestampAt } from '#workspace/text/time.ts';
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
  readonly check: Pick<Post, 'id'> & CheckLines & Signature & { readonly name: string | null };
  readonly others: SaidOfResult['others'];
}

/** Who has written the first message of a thread. */
export type Opener = Signature & { readonly name: string | null };

export const openerOf = (board: Board, first: Post | undefined): Opener => ({
  name: first?.name ?? null,
  ...(first && signatureOf(board, first)),
});

/** Of each line of a check, in code points. */
const MAX_LINE = 160;

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

/**
 * Finds what took RESULTs off the lists over all threads within seven days: one message a thread a day.
 * @param now milliseconds since 1970
 */
export async function findDelistings({ board }: Pick<WorkAt, 'board'>, now: number): Promise<FeedEntry[]> {
  const found: FeedEntry[] = [];
  await visitInSlices(allDelistings(board, timestampAt(now - 7 * DAY_MS)), (one) => {
    if (one !== undefined)
      found.push({ step: one.by.step, at: Date.parse(one.by.step.createdAt), delisted: one.result.step });
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
  const lines = readCheckLines(review.message, review.prefix, MAX_LINE);
  const shown = { id: review.id, name: review.name ?? null, ...signatureOf(board, check), ...lines };
  const named = toNamed(namedBySteps(board, [step, check]), numbers);
  const { others } = readStanding(board, id);
  const opener = openerOf(board, first);
  return [{ rootId, threadTitle: titleOf(first), opener, result, named, check: shown, others }];
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
