import type { Step } from '#message/step.ts';
import { visitInSlices } from '#runtime/slice.ts';
import type { Board } from '#work/board.ts';
import { countFirst } from '#work/lists.ts';
import { viewpointOfOpener } from '#work/trusted.ts';
import type { Sign } from '#workspace/text/author-key.ts';

/** How many threads are searched: computing the signer of the key costs a hash for each of them. */
const MAX_THREADS = 2000;

/**
 * Finds the steps that one key has signed, in the newest 2,000 threads with signed messages.
 * @param after only messages after this time; empty for all
 * @returns newest first, with those that reports hide for now
 */
export async function findOwnSteps({ steps }: Board, sign: Sign, after = ''): Promise<Step[]> {
  const newest = steps.slice(countFirst(steps, ({ createdAt }) => createdAt <= after)).reverse();
  /** The signers of the key, by thread. */
  const signers = new Map<string, string | undefined>();
  const own: Step[] = [];
  await visitInSlices(newest, (step) => {
    const { mark, rootId } = step;
    if (mark === undefined) return;
    if (!signers.has(rootId) && signers.size < MAX_THREADS) signers.set(rootId, sign(rootId));
    if (signers.get(rootId) === mark) own.push(step);
  });
  return own;
}

/** @param own steps of one key @returns the ids of threads in which the opener distrusts its signer */
export async function distrustingThreads(board: Board, own: readonly Step[]): Promise<Set<string>> {
  const threads = new Set<string>();
  await visitInSlices(own, ({ id, rootId }) => {
    const [thread, writer] = [board.thread(rootId), board.authorOfStep(id)?.writer];
    if (thread && writer && viewpointOfOpener(thread).distrusted.has(writer)) threads.add(rootId);
  });
  return threads;
}
