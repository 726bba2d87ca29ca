import { TextBudget } from '#message/words.ts';
import {
  MAX_ANSWERS,
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
} from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import { isVisible, type Item } from './item.ts';
import { readTexts, type Source } from './records.ts';
import type { State } from './state.ts';
import { count, merged } from './time-order.ts';

/** Posts that are visited between two calls of `pause`. */
const BATCH_SIZE = 256;

/** @returns a page of `Reader.news`, with an `Item` for each post @throws TextUnavailable */
export async function findNews(
  source: Source,
  filter: NewsFilter,
  { after = '', limit, maxCandidates }: NewsRange,
): Promise<NewsResult<Item>> {
  const { posts } = filter;
  let state = await source.current(after, ...(posts ?? []));
  // Read before the posts: one that arrives during a pause is later, and belongs to the next page.
  const latest = state.lastTimestamp;
  const found: Omit<NewsResult<Item>, 'items' | 'examinedTo'> = {
    latest,
    newer: isEmpty(filter) ? count(state.visible.post, { after }, MAX_COUNTED_NEWS) : null,
    unknownPosts: (posts ?? []).filter((id) => state.findVisible(id) === undefined),
  };
  const texts = new TextBudget();
  const own = new Set(posts);
  let items: Item[] = [];
  let left = posts === undefined ? maxCandidates : Math.min(maxCandidates, MAX_ANSWERS);
  for (let examinedTo = after; ; ) {
    let isPaused = false;
    for (const post of merged(listsOf(state, filter), examinedTo)) {
      if (latest === null || post.createdAt > latest) break;
      if (own.has(post.id)) continue;
      examinedTo = post.createdAt;
      left -= 1;
      if (matches(source, post, filter, texts)) items.push(post);
      if (items.length === limit || texts.isSpent || left <= 0) return { ...found, items, examinedTo };
      isPaused = texts.isSliceOver || left % BATCH_SIZE === 0;
      if (isPaused) break;
    }
    if (!isPaused) return { ...found, items, examinedTo: null };
    await texts.nextSlice();
    state = await source.current();
    // A post may have been hidden during the pause.
    items = items.filter(isVisible);
  }
}

function isEmpty({ posts, prefix, words = [], any = [] }: NewsFilter): boolean {
  return posts === undefined && prefix === undefined && words.length === 0 && any.length === 0;
}

/** @returns lists that together have every post that may match */
function listsOf(state: State, { posts }: NewsFilter): Item[][] {
  if (posts === undefined) return [state.visible.post];
  const items = [...new Set(posts)].flatMap((id) => state.find(id) ?? []);
  return items.flatMap(({ thread, replies, namedBy }) => [thread, replies, namedBy]);
}

/** @throws TextUnavailable */
function matches(
  source: Source,
  post: Item,
  { words = [], any = [], prefix }: NewsFilter,
  texts: TextBudget,
): boolean {
  if (prefix !== undefined && post.prefix !== prefix) return false;
  if (words.length === 0 && any.length === 0) return true;
  return texts.holdsWords(readTexts(source, [post])[0] as Post, words, any);
}
