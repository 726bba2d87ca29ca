import { refersTo } from '#message/references.ts';
import { parseStepFacts, type StepMessage } from '#message/step.ts';
import type { LaterPost, LaterPostsLookup } from '#store/port/lookups.ts';
import type { Timestamp } from '#store/port/records.ts';
import type { Board } from '#work/board.ts';
import { conflictOf } from '#work/conflict.ts';
import { NOTICE, sayExample } from '#workspace/protocol/protocol-content.ts';
import { fillWithinBudget, jsonBytes } from '#workspace/reading/page.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { MAX_LISTED } from '#workspace/schemas/post.ts';
import { toEntry } from './meanwhile.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The newest messages after `readUpTo` that are compared with a post. */
const MAX_LATER = 200;
/** JSON bytes of a refusal, to which REST adds less than 200. */
const MAX_REFUSAL_BYTES = 1300;

/** What a post with `ifUnchanged` is compared with in its write. */
interface Compared {
  readonly later: LaterPostsLookup;
  readonly board: Board;
  /** The prefixes of the posts that its text names, by id. */
  readonly prefixes: ReadonlyMap<string, string | null>;
}

/** Thrown inside a write; `toChangedError` turns it into the error for the caller. */
export class Changed extends Error {
  /** By the id of each later message, newest first, why it concerns the post. */
  readonly reasons: ReadonlyMap<string, string>;
  /** `readUpTo` of the call. */
  readonly after: Timestamp;

  constructor(reasons: ReadonlyMap<string, string>, after: Timestamp) {
    super('thread_changed');
    this.reasons = reasons;
    this.after = after;
  }
}

/**
 * Reads what a post with `ifUnchanged` needs before its write, so that the write only compares.
 * @param draft the post; its text is parsed here, and the write finds the facts in a cache
 * @param after `readUpTo`
 * @throws StoreFailure
 * @example
 *   // A WORK on the IDEA post_1:
 *   await readCompared(context, draft, readUpTo); // { later, board, prefixes: Map { 'post_1' => 'IDEA' } }
 */
export async function readCompared(
  { store: { read }, boards }: Pick<WorkspaceContext, 'store' | 'boards'>,
  draft: StepMessage,
  after: Timestamp,
): Promise<Compared> {
  parseStepFacts(draft);
  const [board, { heads }] = await Promise.all([boards.board(), read.related({ heads: refersTo(draft) })]);
  const later: LaterPostsLookup = { type: 'laterPosts', after, limit: MAX_LATER };
  return { later, board, prefixes: new Map([...heads].map(([id, { prefix }]) => [id, prefix])) };
}

/**
 * Refuses a post if a later message concerns it.
 * @param others the later messages, without those of the caller
 * @example
 *   // A WORK on post_1; since readUpTo a trusted agent has posted a WORK that takes post_1 as post_2.
 *   refuseChanged(draft, rootId, others, compared); // throws Changed: post_2 "takes the same thing"
 * @throws Changed if `conflictOf` finds that one of them concerns the post
 */
export function refuseChanged(
  draft: StepMessage,
  rootId: string,
  others: readonly LaterPost[],
  { later, board, prefixes }: Compared,
): void {
  const prefixOf = (id: string): string | null => prefixes.get(id) ?? prefixOfStep(board, id);
  const reasonOf = conflictOf(draft, rootId, board, prefixOf);
  const reasons = new Map<string, string>();
  for (const step of others) {
    const reason = reasonOf(step);
    if (reason !== null) reasons.set(step.id, reason);
  }
  if (reasons.size > 0) throw new Changed(reasons, later.after);
}

function prefixOfStep(board: Board, id: string): string | null {
  if (board.results.has(id)) return 'RESULT';
  return board.ideas.has(id) ? 'IDEA' : null;
}

/**
 * @returns the error for the caller, with the newest messages that refuse its post, oldest first
 * @example
 *   await toChangedError(context, changed);
 *   // thread_changed, with meanwhile: { messages: [{ id: 'post_2', why: 'takes the same thing', … }], … }
 */
export async function toChangedError(
  { store, boards, service }: Pick<WorkspaceContext, 'store' | 'boards' | 'service'>,
  { reasons, after }: Changed,
): Promise<WorkspaceError> {
  const ids = [...reasons.keys()];
  const [board, found] = await Promise.all([boards.board(), store.read.posts(ids.slice(0, MAX_LISTED))]);
  const rows = found.map((post) => ({ ...toEntry(board, post), why: reasons.get(post.record.id) ?? '' }));
  const detail =
    'Nothing was stored. Since readUpTo, trusted agents have posted about the same thing; meanwhile lists ' +
    'their messages and says why. To post yours anyway, send it again with ifUnchanged: false, and the same ' +
    'readUpTo and idempotencyKey.';
  const [notice, nextAfter] = [sayExample(service, NOTICE), found[0]?.record.createdAt ?? after];
  const rest = jsonBytes({
    code: 'thread_changed',
    detail,
    meanwhile: { notice, messages: [], nextAfter, more: true },
  });
  const { messages } = fillWithinBudget({ messages: rows }, MAX_REFUSAL_BYTES - rest);
  const isPart = messages.length < rows.length || ids.length > MAX_LISTED;
  return new WorkspaceError('thread_changed', detail, {
    meanwhile: { notice, messages: messages.reverse(), nextAfter, ...(isPart && { more: true as const }) },
  });
}
