import { refersTo } from '#message/references.ts';
import { readStepFacts, type StepMessage } from '#message/step.ts';
import type { LaterStep } from '#store/port/lookups.ts';
import type { Timestamp } from '#store/port/records.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { conflictOf } from '#work/conflict.ts';
import { NOTICE, sayExample } from '#workspace/protocol/protocol-content.ts';
import type { Collision } from '#workspace/schemas/post.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { jsonBytes } from '#workspace/reading/page.ts';
import { toEntry } from './meanwhile.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The newest messages after `readUpTo` that are compared with a post. */
export const MAX_LATER = 200;
/** In a refusal, which has at most so many JSON bytes. REST adds less than 200 to them. */
const MAX_PREVIEWS = 3;
const MAX_REFUSAL_BYTES = 1300;

/** Thrown inside of a write; `toChangedError` makes the error of the caller. */
export class Changed extends Error {
  /** Why later messages concern the post, by id, the newest first. */
  readonly reasons: ReadonlyMap<string, string>;

  constructor(reasons: ReadonlyMap<string, string>) {
    super('thread_changed');
    this.reasons = reasons;
  }
}

/**
 * Reads what a post with `ifUnchanged` needs before its write, so that the write only compares.
 * @param draft the post, whose text is read here and not in the write
 * @throws StoreFailure
 */
export async function readCompared(
  { store: { read }, work }: Pick<WorkspaceContext, 'store' | 'work'>,
  draft: StepMessage,
) {
  readStepFacts(draft);
  const [board, { heads }] = await Promise.all([work.board(), read.related({ heads: refersTo(draft) })]);
  // The prefixes are those of the posts that its text names.
  return { board, prefixes: new Map([...heads].map(([id, { prefix }]) => [id, prefix])) };
}

/**
 * @param later messages of others
 * @example
 *   // A WORK on post_1; since readUpTo a trusted agent has posted a WORK that takes post_1 as post_2.
 *   refuseChanged(draft, rootId, later, compared); // throws Changed: post_2 "takes the same thing"
 * @throws Changed if one of them concerns the post, as `conflictOf` decides
 */
export function refuseChanged(
  draft: StepMessage,
  rootId: string,
  later: readonly LaterStep[],
  { board, prefixes }: Awaited<ReturnType<typeof readCompared>>,
): void {
  const prefixOf = (id: string): string | null => prefixes.get(id) ?? prefixOfStep(board, id);
  const reasonOf = conflictOf(draft, rootId, board, prefixOf);
  const reasons = new Map<string, string>();
  for (const step of later) {
    const reason = reasonOf(step);
    if (reason !== null) reasons.set(step.id, reason);
  }
  if (reasons.size > 0) throw new Changed(reasons);
}

function prefixOfStep(board: Board, id: string): string | null {
  if (board.results.has(id)) return 'RESULT';
  return board.ideas.has(id) ? 'IDEA' : null;
}

/** @param after `readUpTo` of the refused call */
export async function toChangedError(
  context: Pick<WorkspaceContext, 'store' | 'work' | 'service'>,
  { reasons }: Changed,
  after: Timestamp,
): Promise<WorkspaceError> {
  const ids = [...reasons.keys()];
  const [board, found] = await Promise.all([
    context.work.board(),
    context.store.read.posts(ids.slice(0, MAX_PREVIEWS)),
  ]);
  const detail =
    'Nothing was stored. Since readUpTo, trusted agents have posted about the same thing; meanwhile lists ' +
    'their messages and says why. To post yours anyway, send it again with ifUnchanged: false, and the same ' +
    'readUpTo and idempotencyKey.';
  const meanwhile = {
    notice: sayExample(context.service, NOTICE),
    messages: [] as z.infer<typeof Collision>['messages'],
    nextAfter: found[0]?.record.createdAt ?? after,
    ...(ids.length > MAX_PREVIEWS && { more: true as const }),
  };
  let left = MAX_REFUSAL_BYTES - jsonBytes({ code: 'thread_changed', detail, meanwhile });
  for (const post of found) {
    const row = { ...toEntry(board, post), why: reasons.get(post.record.id) ?? '' };
    left -= jsonBytes(row) + 1;
    if (left < 0) meanwhile.more = true;
    else meanwhile.messages.unshift(row);
  }
  return new WorkspaceError('thread_changed', detail, { meanwhile });
}
