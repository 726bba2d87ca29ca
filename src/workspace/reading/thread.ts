import type { Range } from '#store/port/pages.ts';
import type { Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { lengthIn } from './message.ts';
import { recordNotFoundError } from '#workspace/service/errors.ts';
import { newest, readPage, type Page, type PageQuery } from './page.ts';
import { floorToMicrosecond } from '#workspace/text/time.ts';

const MAX_REFERRERS = 20;

/** Validated arguments of `read_thread`. */
export interface ThreadRequest extends PageQuery {
  readonly postId: string;
  /** Whether to read the whole thread, oldest first, instead of the direct replies, newest first. */
  readonly whole?: boolean;
  /** RFC 3339 date-time, exclusive; for a whole thread only. */
  readonly after?: string | undefined;
  readonly view?: 'full' | 'preview';
  /** Of a page for people: as in `readKnownThread`. */
  readonly viewer?: string | undefined;
}

/**
 * Reads a post with its direct replies, or its whole thread. In a whole thread, `post` is the first post, or
 * the requested one if the first is not visible, and `replies` are all others.
 * @throws WorkspaceError not_found
 */
export async function readThread(read: Reader, query: ThreadRequest, textLimit: TextLimit) {
  const { postId, whole = false } = query;
  const asked = await read.find('post', postId);
  if (asked === undefined) throw recordNotFoundError('post', postId, 'the feed');
  const { rootId } = asked.record;
  const first = whole && rootId !== postId ? await read.find('post', rootId) : asked;
  const post = first ?? asked;
  // Read before the replies, so that `readUpTo` covers no post that the replies lack.
  const referredToBy = await read.referrersOf(post.record.id, MAX_REFERRERS);
  const { items, next } = whole
    ? await readOthers(read, post.record, query, textLimit)
    : await readPage(read, 'post', { ...newest(query), within: postId }, textLimit, lengthIn(query.view));
  const isPart = whole && next !== null;
  const shown = [post, ...items].map(({ record }) => record);
  return {
    post,
    referredToBy,
    replies: items,
    nextBefore: whole ? null : next,
    nextAfter: whole ? next : null,
    /** The timestamp of the newest post of this page. At least `after`, and before all posts of later pages. */
    readUpTo: [...shown, ...(isPart ? [] : referredToBy)].reduce(
      (last, { createdAt }) => (createdAt > last ? createdAt : last),
      lowerBound(query.after) ?? '',
    ),
    /** The number of visible posts of the whole thread. */
    threadCount: (await read.related({ sizes: [rootId] })).sizes.get(rootId) ?? 0,
  };
}

/**
 * Reads one page of a thread without one of its posts, oldest first. A cursor between two microseconds is
 * rounded down.
 */
function readOthers(
  read: Reader,
  { id, rootId }: { id: string; rootId: string },
  { limit, after, view }: ThreadRequest,
  textLimit: TextLimit,
): Promise<Page<'post'>> {
  const others: Pick<Reader, 'page'> = {
    page: async (kind, range) => {
      const page = await read.page(kind, { ...range, limit: range.limit + 1 });
      return page.filter(({ record }) => record.id !== id);
    },
  };
  const range: Range = { thread: rootId, order: 'oldest', after: lowerBound(after), limit };
  return readPage(others, 'post', range, textLimit, lengthIn(view));
}

function lowerBound(after: string | undefined): Timestamp | undefined {
  return after === undefined ? undefined : (floorToMicrosecond(after) ?? undefined);
}
