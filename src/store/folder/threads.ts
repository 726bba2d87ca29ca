import {
  MAX_COUNTED_NEWS,
  type PostHead,
  type ThreadHead,
  type ThreadNews,
  type ThreadPage,
  type ThreadRange,
} from '#store/port/pages.ts';
import { toPostHead, isVisible, type Item } from './item.ts';
import { readCounted, walkPosts, type Source } from './records.ts';
import { page } from './time-order.ts';

/** Tries again if messages were hidden meanwhile. @param tries bounds it: an operator may hide thousands */
export async function readThreads(source: Source, range: ThreadRange, tries = 3): Promise<ThreadPage> {
  const state = await source.currentState();
  const { length: moderated } = state.moderations;
  const except = new Set(range.except);
  const found: { readonly root: Item; readonly last: Item }[] = [];
  const { latest } = await walkPosts(source, range, (post) => {
    const { root } = post;
    if (root !== null && !except.has(post.id) && lastOf(root, except) === post)
      found.push({ root, last: post });
    return found.length < range.limit;
  });
  // During a pause a message that the walk had passed may have become the last of its thread.
  if (tries > 1 && state.moderations.length > moderated) return readThreads(source, range, tries - 1);
  const shown = found.flatMap(({ root, last }) => {
    const first = root.isHidden || root.presence !== 'there' ? root.thread[0] : root;
    return first !== undefined && isVisible(last) ? [{ root, last, first }] : [];
  });
  const counted = readCounted<'post'>(
    source,
    shown.map(({ first }) => first),
  );
  const items = shown.flatMap(({ root, last }, index): ThreadHead[] => {
    const post = counted[index];
    if (post === undefined) return [];
    return [
      {
        post,
        size: root.thread.length,
        lastAt: last.createdAt,
        lastId: last.id,
        ...(range.after !== undefined && { news: toNews(root, range.after, except) }),
        ...(range.tail !== undefined && { tail: tailOf(root, range.tail) }),
      },
    ];
  });
  return { items, latest };
}

const tailOf = ({ thread }: Item, limit: number): PostHead[] =>
  thread.slice(Math.max(thread.length - limit, 0)).map(toPostHead);

function lastOf({ thread }: Item, except: ReadonlySet<string>): Item | undefined {
  return except.size === 0 ? thread.at(-1) : thread.findLast(({ id }) => !except.has(id));
}

function toNews({ thread }: Item, after: string, except: ReadonlySet<string>): ThreadNews {
  const posts = page(thread, { order: 'newest', after, limit: MAX_COUNTED_NEWS + except.size })
    .filter(({ id }) => !except.has(id))
    .slice(0, MAX_COUNTED_NEWS);
  const byPrefix: Record<string, number> = {};
  for (const { prefix } of posts) byPrefix[prefix ?? 'none'] = (byPrefix[prefix ?? 'none'] ?? 0) + 1;
  const result = posts.find(({ prefix }) => prefix === 'RESULT');
  return { count: posts.length, byPrefix, newestResult: result?.id ?? null };
}
