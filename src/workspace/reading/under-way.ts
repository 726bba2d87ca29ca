import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { signatureOf } from '#work/message-view.ts';
import { type Work } from '#work/thread.ts';
import { partNames } from '#work/parts.ts';
import { worksOn } from '#work/open.ts';
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
    dueAt: timestampAt(statusOf(work).dueAt),
    ...(parts.length > 0 && { parts: parts.flatMap(({ idea, index }) => partNames(idea)[index] ?? []) }),
  };
}

/**
 * @param now milliseconds since 1970
 * @returns the WORKs that take a post, as `worksOn`
 */
export const readWorksOn = (
  board: Board,
  id: string,
  list: 'underWay' | 'overdue',
  now: number,
): UnderWay[] => {
  const thread = board.threadOf(id);
  const works = thread === undefined ? [] : worksOn(thread, id, list, now, MAX_UNDER_WAY);
  return works.map((work) => toUnderWay(board, work));
};
