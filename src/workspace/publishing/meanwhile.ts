import { refersTo } from '#message/references.ts';
import { readStepFacts } from '#message/step.ts';
import type { LaterStep } from '#store/port/lookups.ts';
import type { Post, Timestamp } from '#store/port/records.ts';
import type * as z from 'zod';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { toPreview } from '#workspace/reading/feed-page.ts';
import type { Meanwhile } from '#workspace/schemas/post.ts';
import { MAX_EXCEPT } from '#workspace/schemas/post-ids.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { parsePrefix, type Prefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/rfc3339.ts';
import { MINUTE_MS } from '#workspace/text/time.ts';
import { concernOf } from '#workspace/work/concerns.ts';
import type { Derivation } from '#workspace/work/derive-work.ts';
import { describePosts } from '#workspace/reading/describe.ts';
import { readHeads } from '#workspace/work/heads.ts';
import { signatureOf } from '#workspace/work/reviews.ts';
import type { WorkspaceContext } from './workspace-context.ts';

/** Messages behind `readUpTo` that a write with `ifUnchanged` looks at. */
export const MAX_LATER = 200;
/** Messages behind `readUpTo` that a receipt tells of. */
const MAX_NEWS = 100;
const MAX_IN_THREAD = 10;
const MAX_THREADS = 5;
/** In a refusal. */
const MAX_PREVIEWS = 3;
/** What a receipt tells of a thread without `readUpTo`. */
const RECENT_MS = 2 * MINUTE_MS;

/** Whether a message is the caller's own. Marks are those of a store, minted or not. */
type IsOwn = (message: {
  readonly id: string;
  readonly rootId: string;
  readonly mark?: string | null | undefined;
}) => boolean;

/** Refuses a write with `ifUnchanged`. The error for the caller is made from it. */
export class Changed extends Error {
  /** Why later messages concern the post, by id, the newest first. */
  readonly reasons: ReadonlyMap<string, string>;
  readonly isTooLong: boolean;

  /** @param isTooLong whether more came than was looked at */
  constructor(reasons: ReadonlyMap<string, string>, isTooLong: boolean) {
    super('thread_changed');
    this.reasons = reasons;
    this.isTooLong = isTooLong;
  }
}

/**
 * Prepares the check of a post with `ifUnchanged`: what its text says is read before the write.
 * @returns a function that throws `Changed` if a later message concerns the post, or if there are too many
 * @throws StoreFailure
 */
export async function createCheck(
  { store: { read }, work: workReader }: Pick<WorkspaceContext, 'store' | 'work'>,
  { message, parentId }: Pick<Post, 'message' | 'parentId'>,
  isOwn: IsOwn,
): Promise<(post: Post, later: readonly LaterStep[]) => void> {
  const written = { id: '', message, parentId, prefix: parsePrefix(message), createdAt: '' };
  readStepFacts(written);
  const [work, prefixes] = await Promise.all([workReader.derived(), read.prefixes(refersTo(written))]);
  const prefixOf = (id: string): string | null => prefixes.get(id) ?? prefixOfStep(work, id);
  return ({ rootId }, later) => {
    const reasonOf = concernOf(written, rootId, { work, prefixOf });
    const reasons = new Map<string, string>();
    for (const step of later.slice(0, MAX_LATER)) {
      const reason = reasonOf(step);
      if (reason !== null && !isOwn(step)) reasons.set(step.id, reason);
    }
    if (reasons.size > 0 || later.length > MAX_LATER) throw new Changed(reasons, later.length > MAX_LATER);
  };
}

function prefixOfStep(work: Derivation, id: string): string | null {
  if (work.results.has(id)) return 'RESULT';
  return work.ideas.has(id) ? 'IDEA' : null;
}

/**
 * @param after `readUpTo` of the refused call
 * @param except that of the call
 */
export async function toChangedError(
  context: Pick<WorkspaceContext, 'store' | 'work'>,
  { reasons, isTooLong }: Changed,
  { after, except = [] }: { readonly after: Timestamp; readonly except?: readonly string[] | undefined },
): Promise<WorkspaceError> {
  const ids = [...reasons.keys()];
  const shown = await context.store.read.posts(ids.slice(0, MAX_PREVIEWS));
  const describe = await describePosts(context, shown);
  const detail = isTooLong
    ? `Nothing was stored. Over ${MAX_LATER} messages came after readUpTo: read on, then send it with the newer ` +
      'nextAfter.'
    : 'Nothing was stored. Others were faster: meanwhile says of each message why. If yours still adds ' +
      'something, send it again with this except and the same idempotencyKey.';
  return new WorkspaceError('thread_changed', detail, {
    meanwhile: {
      notice: NOTICE,
      messages: shown
        .map((post) => ({ ...toPreview(post), ...describe(post), why: reasons.get(post.record.id) ?? '' }))
        .reverse(),
      nextAfter: after,
      ...(ids.length > MAX_PREVIEWS && { more: true as const }),
    },
    // Without what it excepted before, the message would be refused for that.
    except: [...new Set([...ids, ...except])].slice(0, MAX_EXCEPT),
  });
}

type News = z.infer<typeof Meanwhile>;

/**
 * Reads what others posted before a post: everywhere since `readUpTo`, or in its thread within two minutes.
 * @param own the post, with its time
 * @param after `readUpTo`; null without it
 * @returns null if it cannot be read, which makes no difference to the post; and without `readUpTo` for a post
 *   that begins a thread
 */
export async function readMeanwhile(
  context: Pick<WorkspaceContext, 'store' | 'work'>,
  own: Pick<Post, 'rootId' | 'parentId' | 'createdAt'>,
  after: Timestamp | null,
  isOwn: IsOwn,
): Promise<News | null> {
  try {
    if (after !== null) return await readSince(context, own, after, isOwn);
    return own.parentId === null ? null : await readRecent(context, own, isOwn);
  } catch {
    return null;
  }
}

async function readSince(
  context: Pick<WorkspaceContext, 'store' | 'work'>,
  own: Pick<Post, 'rootId' | 'createdAt'>,
  after: Timestamp,
  isOwn: IsOwn,
): Promise<News> {
  const { read } = context.store;
  const range = { after, before: own.createdAt, order: 'oldest', limit: MAX_NEWS + 1 } as const;
  const found = (await read.page('post', range)).map(({ record }) => record);
  const news = found.slice(0, MAX_NEWS).filter((post) => !isOwn(post));
  const inThread = news.filter(({ rootId }) => rootId === own.rootId).slice(0, MAX_IN_THREAD);
  const others = new Map<string, number>();
  for (const { rootId } of news) if (rootId !== own.rootId) others.set(rootId, (others.get(rootId) ?? 0) + 1);
  const elsewhere = [...others].slice(0, MAX_THREADS);
  const told = elsewhere.reduce((sum, [, count]) => sum + count, inThread.length);
  const [firstNews] = news;
  const isPart = found.length > MAX_NEWS || told < news.length;
  const { toEntry, titleOf } = await describeNews(context, inThread, elsewhere);
  return {
    inThread: inThread.map(toEntry),
    elsewhere: elsewhere.map(([rootId, count]) => ({ rootId, title: titleOf(rootId), new: count })),
    nextAfter:
      firstNews === undefined ? own.createdAt : (found[found.indexOf(firstNews) - 1]?.createdAt ?? after),
    ...(isPart && { more: true as const }),
  };
}

/** The newest messages of the thread, without a cursor: what is older was not looked at. */
async function readRecent(
  context: Pick<WorkspaceContext, 'store' | 'work'>,
  { rootId, createdAt }: Pick<Post, 'rootId' | 'createdAt'>,
  isOwn: IsOwn,
): Promise<News> {
  const found = await context.store.read.page('post', {
    thread: rootId,
    after: timestampAt(Date.parse(createdAt) - RECENT_MS),
    before: createdAt,
    order: 'newest',
    limit: MAX_NEWS + 1,
  });
  const news = found.map(({ record }) => record).filter((post) => !isOwn(post));
  const inThread = news.slice(0, MAX_IN_THREAD).reverse();
  const { toEntry } = await describeNews(context, inThread, []);
  return {
    inThread: inThread.map(toEntry),
    elsewhere: [],
    ...(news.length > MAX_IN_THREAD && { more: true as const }),
  };
}

async function describeNews(
  { store: { read }, work: workReader }: Pick<WorkspaceContext, 'store' | 'work'>,
  inThread: readonly Post[],
  elsewhere: readonly (readonly [rootId: string, count: number])[],
): Promise<{
  readonly toEntry: (post: Post) => News['inThread'][number];
  readonly titleOf: (id: string) => string;
}> {
  const ids = [...inThread.map(({ id }) => id), ...elsewhere.map(([root]) => root)];
  const heads = await readHeads(read, ids);
  const work = await workReader.derived();
  const titleOf = (id: string): string => heads.get(id)?.title ?? '';
  return {
    titleOf,
    toEntry: (post) => ({
      id: post.id,
      prefix: post.prefix as Prefix | null,
      name: post.name ?? null,
      ...signatureOf(work, post),
      title: titleOf(post.id),
      createdAt: post.createdAt,
    }),
  };
}
