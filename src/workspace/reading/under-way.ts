import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { viewOfOpener } from '#work/circle.ts';
import { signatureOf } from '#work/say.ts';
import type { Work } from '#work/thread.ts';
import { isOverdue, isUnderWay } from '#work/parts.ts';
import { chooseWorks, statusOf } from '#work/works.ts';
import type { WorkUnderWay } from '#workspace/schemas/post.ts';
import { timestampAt } from '#workspace/text/time.ts';

/** WORKs of one post. */
const MAX_UNDER_WAY = 5;

type UnderWay = z.infer<typeof WorkUnderWay>;

export function toUnderWay(board: Board, work: Work): UnderWay {
  const { step, parts } = work;
  return {
    id: step.id,
    name: step.name,
    ...signatureOf(board, step),
    dueAt: timestampAt(statusOf(work).due.at),
    ...(parts.length > 0 && { parts: parts.flatMap(({ idea, index }) => idea.parts[index] ?? []) }),
  };
}

/** @returns the WORKs under way that take a post, as `chooseWorks`. @param now milliseconds since 1970 */
export function worksUnderWayOn(board: Board, id: string, now: number): UnderWay[] {
  return worksOn(board, id, (work) => isUnderWay(work, now));
}

/** @returns the overdue WORKs that take a post, as `chooseWorks`. @param now milliseconds since 1970 */
export function worksOverdueOn(board: Board, id: string, now: number): UnderWay[] {
  return worksOn(board, id, (work) => isOverdue(work, now));
}

function worksOn(board: Board, id: string, isWanted: (work: Work) => boolean): UnderWay[] {
  const works = board.worksOn.get(id) ?? [];
  const thread = board.threadOf(id);
  const circle = thread && works.length > 0 ? viewOfOpener(thread).circle : undefined;
  return chooseWorks(works.toReversed(), MAX_UNDER_WAY, circle, isWanted).map((one) =>
    toUnderWay(board, one),
  );
}
