import { TextBudget } from '#message/words.ts';
import {
  MAX_EXAMINED_NEWS,
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
} from '#store/port/pages.ts';
import { isVisible, type Item } from './item.ts';
import { holdsWords, walkPosts, type Source } from './records.ts';
import type { State } from './state.ts';
import { count } from './time-order.ts';

/** @returns a page of `Reader.news`, with an `Item` for each post @throws TextUnavailable */
export async function findNews(
  source: Source,
  filter: NewsFilter,
  { after = '', limit, maxCandidates }: NewsRange,
): Promise<NewsResult<Item>> {
  const { posts, prefix, words = [], any = [] } = filter;
  const state = await source.currentState(after, ...(posts ?? []));
  // Read before the posts: one that arrives during a pause is later, and belongs to the next page.
  const latest = state.lastTimestamp;
  const texts = new TextBudget();
  const asked = new Set(posts);
  const found: Item[] = [];
  let left = posts === undefined ? maxCandidates : Math.min(maxCandidates, MAX_EXAMINED_NEWS);
  const isWordless = words.length === 0 && any.length === 0;
  const isEmpty = posts === undefined && prefix === undefined && isWordless;
  const newer = isEmpty ? count(state.visible.post, { after }, MAX_COUNTED_NEWS) : null;
  const unknownPosts = (posts ?? []).filter((id) => state.findVisible(id) === undefined);
  const visit = (post: Item): boolean => {
    if (asked.has(post.id)) return true;
    left -= 1;
    const mayMatch = prefix === undefined || post.prefix === prefix;
    if (mayMatch && holdsWords(source, post, texts, words, any)) found.push(post);
    return found.length < limit && !texts.isSpent && left > 0;
  };
  // A bound after the latest timestamp; in an empty store, before every timestamp.
  const before = latest === null ? '' : `${latest}~`;
  const range = { order: 'oldest', after, before } as const;
  const { isWhole, examinedTo = after } = await walkPosts(source, range, visit, texts, (now) =>
    listsOf(now, filter),
  );
  const items = found.filter(isVisible);
  return { items, examinedTo: isWhole ? null : examinedTo, latest, newer, unknownPosts };
}

/** @returns lists that together have every post that may match */
function listsOf(state: State, { posts }: NewsFilter): Item[][] {
  if (posts === undefined) return [state.visible.post];
  const items = [...new Set(posts)].flatMap((id) => state.find(id) ?? []);
  return items.flatMap(({ thread, replies, namedBy }) => [thread, replies, namedBy]);
}
