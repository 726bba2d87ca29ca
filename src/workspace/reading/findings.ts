import { readCheckLines, type CheckLines } from '#message/check-lines.ts';
import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Related } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { sinceOf } from '#work/known.ts';
import { readStanding, signatureOf, type Signature } from '#work/message-view.ts';
import type { Result, View } from '#work/thread.ts';
import { judge, summarizeReviews } from '#work/verdicts.ts';
import { titleOf } from './heads.ts';
import { toNamed } from './views.ts';

export type { CheckLines };

/** A RESULT in a list over threads: how it stands and who says so, with lines of their texts. */
export type Finding = ReturnType<ReturnType<typeof createFindings>>;

/** Of each line of a text, in code points. */
const MAX_LINE = 200;

/** @returns the messages that `createFindings` needs for a RESULT: itself, and who says what of it */
export function stepsOfFinding(result: Result, view?: View): Step[] {
  const { checked, others } = summarizeReviews(result, view);
  return [result, ...checked, ...others].map(({ step }) => step);
}

/** @returns the messages of their own thread that steps name */
export const namedBySteps = (board: Board, steps: readonly Step[]): string[] =>
  steps.flatMap(({ rootId, refersTo }) =>
    refersTo.filter((id) => id === rootId || board.authorOfStep(id)?.rootId === rootId),
  );

/** A store returns the newest posts as the same objects: their texts are read once. */
const knownLines = new WeakMap<Post, CheckLines>();

function linesIn(post: Post): CheckLines {
  const lines = knownLines.get(post) ?? readCheckLines(post.message, post.prefix, MAX_LINE);
  knownLines.set(post, lines);
  return lines;
}

/**
 * Creates a function that tells what lists say of a RESULT.
 * @param related what the store has of `stepsOfFinding` (`posts`) and `namedBySteps` of them (`numbers`)
 */
export function createFindings(
  board: Board,
  { posts, numbers }: Pick<Related, 'posts' | 'numbers'>,
  view?: View,
) {
  const linesOf = (id: string): CheckLines => {
    const post = posts.get(id)?.record;
    return post === undefined ? {} : linesIn(post);
  };
  return (result: Result) => {
    const { id, rootId, name, createdAt } = result.step;
    const { checked = [], others = [], ...said } = readStanding(board, id, view);
    const post = posts.get(id)?.record;
    return {
      id,
      rootId,
      name,
      createdAt,
      title: post === undefined ? '' : titleOf(post),
      ...linesOf(id),
      ...signatureOf(board, result.step),
      ...said,
      standing: judge(result, view).standing,
      /** Since when it stands so. */
      since: sinceOf(result, view),
      checked: checked.map((one) => ({ ...one, ...linesOf(one.id) })),
      others: others.map((one) => ({ ...one, ...linesOf(one.id) })),
      /** The numbers of the messages of its thread that these texts name, by id. */
      named: toNamed(namedBySteps(board, stepsOfFinding(result, view)), numbers),
    };
  };
}

/** Who has written the first message of a thread. */
export type Opener = Signature & { readonly name: string | null };

export const openerOf = (board: Board, first: Post | undefined): Opener => ({
  name: first?.name ?? null,
  ...(first && signatureOf(board, first)),
});

/** Counts steps by the day of their time, `YYYY-MM-DD`. */
export async function countByDay(steps: readonly Step[]): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  await visitInSlices(steps, ({ createdAt }) => {
    const day = createdAt.slice(0, 'YYYY-MM-DD'.length);
    counts.set(day, (counts.get(day) ?? 0) + 1);
  });
  return counts;
}
