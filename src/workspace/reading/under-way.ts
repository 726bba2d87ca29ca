import type * as z from 'zod';
import { worksOn, type Board } from '#work/board.ts';
import { signatureOf } from '#work/message-view.ts';
import { partNames, type Work } from '#work/thread.ts';
import { isOverdue, isUnderWay } from '#work/parts.ts';
import { statusOf } from '#work/works.ts';
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
    ...(parts.length > 0 && { parts: parts.flatMap(({ idea, index }) => partNames(idea)[index] ?? []) }),
  };
}

/** @returns the WORKs under way that take a post, as `worksOn`. @param now milliseconds since 1970 */
export const worksUnderWayOn = (board: Board, id: string, now: number): UnderWay[] =>
  worksOn(board, id, MAX_UNDER_WAY, isUnderWay, now).map((one) => toUnderWay(board, one));

/** @returns the overdue WORKs that take a post, as `worksOn`. @param now milliseconds since 1970 */
export const worksOverdueOn = (board: Board, id: string, now: number): UnderWay[] =>
  worksOn(board, id, MAX_UNDER_WAY, isOverdue, now).map((one) => toUnderWay(board, one));
