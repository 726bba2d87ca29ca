import { refersTo } from '#message/references.ts';
import { readStepFacts } from '#message/step.ts';
import type { LaterStep } from '#store/port/lookups.ts';
import type { Post, RecordView, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Board } from '#work/board.ts';
import { concernOf } from '#work/concern.ts';
import { signatureOf } from '#work/say.ts';
import { NOTICE, sayExample } from '#workspace/protocol/protocol-content.ts';
import { type Collision, Meanwhile } from '#workspace/schemas/post.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { timestampAt, MINUTE_MS } from '#workspace/text/time.ts';
import { jsonBytes } from '#workspace/reading/page.ts';
import { readHeads, titleOf } from '#workspace/reading/heads.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** The newest messages after `readUpTo` that a write with `ifUnchanged` examines. */
export const MAX_LATER = 200;
/** Messages after `readUpTo` that a receipt describes. */
const MAX_NEWS = 100;
const MAX_IN_THREAD = 10;
const MAX_THREADS = 5;
/** In a refusal, which has at most so many JSON bytes. REST adds less than 200 to them. */
const MAX_PREVIEWS = 3;
const MAX_REFUSAL_BYTES = 1300;
/** Without `readUpTo` a receipt describes the messages of the thread within this time. */
const RECENT_MS = 2 * MINUTE_MS;

/** Whether a message has the signer of the key that was sent, which is stored in any case. */
export type IsOwn = (message: {
  readonly rootId: string | null;
  readonly mark?: string | null | undefined;
}) => boolean;

/**
 * Thrown inside of a write to refuse it because of `ifUnchanged`. `toChangedError` makes the caller's error.
 */
export class Changed extends Error {
  /** Why later messages concern the post, by id, the newest first. */
  readonly reasons: ReadonlyMap<string, string>;

  constructor(reasons: ReadonlyMap<string, string>) {
    super('thread_changed');
    this.reasons = reasons;
  }
}

/**
 * Prepares the check of a post with `ifUnchanged`. It reads the text of the post before the write.
 * @returns a function that throws `Changed` if a later message of somebody else concerns the post
 * @throws StoreFailure
 */
export async function createCheck(
  { store: { read }, work: workReader }: Pick<WorkspaceContext, 'store' | 'work'>,
  { message, parentId }: Pick<Post, 'message' | 'parentId'>,
  isOwn: IsOwn,
): Promise<(post: Post, later: readonly LaterStep[]) => void> {
  const written = { id: '', message, parentId, prefix: parsePrefix(message), createdAt: '' };
  readStepFacts(written);
  const [board, { heads }] = await Promise.all([
    workReader.board(),
    read.related({ heads: refersTo(written) }),
  ]);
  const prefixOf = (id: string): string | null => heads.get(id)?.prefix ?? prefixOfStep(board, id);
  return ({ rootId }, later) => {
    const reasonOf = concernOf(written, rootId, board, prefixOf);
    const reasons = new Map<string, string>();
    for (const step of later) {
      const reason = isOwn(step) ? null : reasonOf(step);
      if (reason !== null) reasons.set(step.id, reason);
    }
    if (reasons.size > 0) throw new Changed(reasons);
  };
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

type News = z.infer<typeof Meanwhile>;

interface Receiving {
  /** Of which the post is a part; undefined if it cannot be read. */
  readonly board: Board | undefined;
  /** Messages that the receipt names elsewhere. */
  readonly told: readonly { readonly id: string }[];
}

/**
 * Reads what others posted before a post: everywhere since `readUpTo`, or in its thread within two minutes.
 * @param own the post, with its time
 * @param after `readUpTo`; null without it
 * @returns null if the messages cannot be read, since the post is published all the same, and, without
 *   `readUpTo`, for a post that begins a thread
 */
export async function readMeanwhile(
  read: Reader,
  own: Post,
  after: Timestamp | null,
  isOwn: IsOwn,
  { board, told }: Receiving,
): Promise<News | null> {
  if (board === undefined || (after === null && own.parentId === null)) return null;
  const ids = new Set(told.map(({ id }) => id));
  const isNews = (post: Post): boolean => !isOwn(post) && !ids.has(post.id);
  try {
    return after === null
      ? await readRecent(read, own, isNews)
      : await readSince(read, own, after, { isOwn, board, isNews });
  } catch {
    return null;
  }
}

async function readSince(
  read: Reader,
  own: Post,
  after: Timestamp,
  {
    isOwn,
    board,
    isNews,
  }: { readonly isOwn: IsOwn; readonly board: Board; readonly isNews: (post: Post) => boolean },
): Promise<News> {
  const range = { after, before: own.createdAt, order: 'oldest', limit: MAX_NEWS + 1 } as const;
  const found = await read.page('post', range);
  const news = found.slice(0, MAX_NEWS).filter(({ record }) => isNews(record));
  const inThread = news.filter(({ record }) => record.rootId === own.rootId).slice(0, MAX_IN_THREAD);
  const others = new Map<string, number>();
  for (const { rootId } of news.map(({ record }) => record))
    if (rootId !== own.rootId) others.set(rootId, (others.get(rootId) ?? 0) + 1);
  const elsewhere = [...others].slice(0, MAX_THREADS);
  const told = elsewhere.reduce((sum, [, count]) => sum + count, inThread.length);
  const unread = found.findIndex(({ record }) => !isOwn(record));
  const isPart = found.length > MAX_NEWS || told < news.length;
  const readTo = found.length > MAX_NEWS ? (found.at(-1)?.record.createdAt ?? after) : own.createdAt;
  const roots = await readHeads(
    read,
    elsewhere.map(([rootId]) => rootId),
  );
  return {
    inThread: inThread.map((post) => toEntry(board, post)),
    elsewhere: elsewhere.map(([rootId, count]) => ({
      rootId,
      title: roots.get(rootId)?.title ?? '',
      new: count,
    })),
    nextAfter: unread >= 0 ? (found[unread - 1]?.record.createdAt ?? after) : readTo,
    ...(isPart && { more: true as const }),
  };
}

/**
 * The titles of the newest messages of the thread. Without a cursor, since older ones were not examined. Each
 * read gets as many as are shown, since most messages are of others.
 */
async function readRecent(
  read: Reader,
  { rootId, createdAt }: Pick<Post, 'rootId' | 'createdAt'>,
  isNews: (post: Post) => boolean,
): Promise<News> {
  const after = timestampAt(Date.parse(createdAt) - RECENT_MS);
  const range = { thread: rootId, after, order: 'newest', limit: MAX_IN_THREAD + 1 } as const;
  const news: RecordView<'post'>[] = [];
  let before: Timestamp | undefined = createdAt;
  for (let looked = 0; before !== undefined && looked < MAX_NEWS && news.length <= MAX_IN_THREAD; ) {
    const found: RecordView<'post'>[] = await read.page('post', { ...range, before });
    news.push(...found.filter(({ record }) => isNews(record)));
    looked += found.length;
    before = found[MAX_IN_THREAD]?.record.createdAt;
  }
  const inThread = news.slice(0, MAX_IN_THREAD).reverse();
  return {
    inThread: inThread.map(({ record }) => ({ id: record.id, title: titleOf(record) })),
    elsewhere: [],
    ...(news.length > MAX_IN_THREAD && { more: true as const }),
  };
}

/** Parsed, since a refusal is no output of a tool, which would lose what pages alone show. */
const toEntry = (board: Board, { record }: RecordView<'post'>): News['inThread'][number] =>
  Meanwhile.shape.inThread.element.parse({
    id: record.id,
    prefix: record.prefix,
    name: record.name ?? null,
    ...signatureOf(board, record),
    title: titleOf(record),
    createdAt: record.createdAt,
  });
