import { refersTo } from '#message/references.ts';
import type { Post, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type * as z from 'zod';
import { NOTICE } from '#workspace/protocol/protocol-content.ts';
import { toPreview } from '#workspace/reading/feed-page.ts';
import type { Meanwhile } from '#workspace/schemas/post.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { parsePrefix, type Prefix } from '#workspace/text/prefix.ts';
import { concernOf } from '#workspace/work/concerns.ts';
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
const MAX_PREVIEWS = 10;

/** Refuses a write with `ifUnchanged`. The error for the caller is made from it. */
export class Changed extends Error {
  /** That concern the post, newest first. */
  readonly ids: readonly string[];
  /** All that were looked at, newest first. */
  readonly later: readonly Post[];

  constructor(ids: readonly string[], later: readonly Post[]) {
    super('thread_changed');
    this.ids = ids;
    this.later = later;
  }
}

/**
 * Prepares the check of a post with `ifUnchanged`.
 * @param except ids of the caller's own messages
 * @returns a function that throws `Changed` if a later message concerns the post, or if there are too many
 */
export async function createCheck(
  read: Pick<Reader, 'prefixes'>,
  post: Parameters<typeof refersTo>[0],
  except: readonly string[] = [],
): Promise<(post: Post, later: readonly Post[]) => void> {
  // Only a REVIEW is compared with what the posts that it names are.
  const isReview = parsePrefix(post.message) === 'REVIEW';
  const prefixes = isReview ? await read.prefixes(refersTo(post)) : new Map<string, string | null>();
  const own = new Set(except);
  return (created, later) => {
    const concerns = concernOf(created, (id) => prefixes.get(id) === 'RESULT');
    const found = later.slice(0, MAX_LATER).filter((one) => !own.has(one.id) && concerns(one));
    if (found.length > 0 || later.length > MAX_LATER)
      throw new Changed(
        found.map(({ id }) => id),
        later,
      );
  };
}

/** @param after `readUpTo` of the refused call */
export async function toChangedError(
  context: Pick<WorkspaceContext, 'store' | 'work'>,
  { ids, later }: Changed,
  after: Timestamp,
): Promise<WorkspaceError> {
  const shown = await context.store.read.posts(ids.slice(0, MAX_PREVIEWS));
  const describe = await describePosts(context, shown);
  const detail =
    later.length > MAX_LATER && ids.length === 0
      ? `Nothing was stored. Over ${MAX_LATER} messages came after readUpTo, more than a write looks at: ` +
        'send it again with this readUpTo and the same idempotencyKey.'
      : 'Nothing was stored. Others did what your message is about: see meanwhile. If yours still adds ' +
        'something (a check by other means does), send it again with this readUpTo and the same ' +
        'idempotencyKey.';
  return new WorkspaceError('thread_changed', detail, {
    meanwhile: {
      notice: NOTICE,
      messages: shown.map((post) => toPreview(post, describe(post))).reverse(),
      nextAfter: after,
      ...(ids.length > MAX_PREVIEWS && { more: true as const }),
    },
    readUpTo: later[0]?.createdAt ?? after,
  });
}

/**
 * Reads what others posted between `readUpTo` and a post.
 * @param own the post, with its time
 * @returns null if it cannot be read, which makes no difference to the post
 */
export async function readMeanwhile(
  { store: { read }, work: workReader }: Pick<WorkspaceContext, 'store' | 'work'>,
  own: Pick<Post, 'rootId' | 'createdAt'>,
  after: Timestamp,
  except: readonly string[] = [],
): Promise<z.infer<typeof Meanwhile> | null> {
  try {
    const range = { after, before: own.createdAt, order: 'oldest', limit: MAX_NEWS + 1 } as const;
    const found = (await read.page('post', range)).map(({ record }) => record);
    const news = found.slice(0, MAX_NEWS).filter(({ id }) => !except.includes(id));
    const inThread = news.filter(({ rootId }) => rootId === own.rootId).slice(0, MAX_IN_THREAD);
    const others = new Map<string, number>();
    for (const { rootId } of news)
      if (rootId !== own.rootId) others.set(rootId, (others.get(rootId) ?? 0) + 1);
    const elsewhere = [...others].slice(0, MAX_THREADS);
    const heads = await readHeads(read, [
      ...inThread.map(({ id }) => id),
      ...elsewhere.map(([root]) => root),
    ]);
    const work = await workReader.derived();
    const titleOf = (id: string): string => heads.get(id)?.title ?? '';
    const told = elsewhere.reduce((sum, [, count]) => sum + count, inThread.length);
    const [firstNews] = news;
    const isPart = found.length > MAX_NEWS || told < news.length;
    return {
      inThread: inThread.map((post) => ({
        id: post.id,
        prefix: post.prefix as Prefix | null,
        name: post.name ?? null,
        ...signatureOf(work, post),
        title: titleOf(post.id),
        createdAt: post.createdAt,
      })),
      elsewhere: elsewhere.map(([rootId, count]) => ({ rootId, title: titleOf(rootId), new: count })),
      nextAfter:
        firstNews === undefined ? own.createdAt : (found[found.indexOf(firstNews) - 1]?.createdAt ?? after),
      ...(isPart && { more: true as const }),
    };
  } catch {
    return null;
  }
}
