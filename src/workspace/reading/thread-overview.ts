import { changesOfParts, partsOf } from '#work/parts.ts';
import { copiesOf } from '#work/say.ts';
import { distrustedOf, membersOf, viewOfOpener } from '#work/trusted.ts';
import { isEnded } from '#work/verdicts.ts';
import { countStandings } from './thread-list.ts';
import type { ReadContext } from './views.ts';

/**
 * Reads whose word counts in a thread, whom its opener keeps out, how its RESULTs and the parts of its first
 * message stand, whether that is an IDEA that has ended, what it is nearly a copy of, by another signer or
 * not, and its later copies. `changes`: when the clock alone changes the parts. Of a thread older than the
 * board nothing is known.
 */
export async function readThreadOverview({ work, now }: ReadContext, rootId: string) {
  const board = await work.board();
  const [thread, idea] = [board.thread(rootId), board.ideas.get(rootId)];
  const view = thread && viewOfOpener(thread);
  const copyOf = board.copies.isCopy(rootId) ? board.copies.of(rootId) : undefined;
  return {
    members: view === undefined ? [] : membersOf(view),
    distrusted: view === undefined ? [] : distrustedOf(view),
    counts: countStandings(board, rootId),
    parts: idea === undefined ? [] : partsOf(idea, now()),
    changes: idea === undefined ? [] : changesOfParts(idea),
    hasEnded: idea !== undefined && isEnded(idea),
    copyOf,
    isCopyByAnother:
      thread?.opener !== undefined && board.authorOfStep(copyOf?.id ?? '')?.signer !== undefined,
    copies: copiesOf(board, rootId),
  };
}
