import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_COMPARED, TextBudget } from '#message/words.ts';
import {
  MAX_ANSWERS,
  MAX_COUNTED_NEWS,
  type FeedFilter,
  type FeedRange,
  type FeedResult,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
} from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import { isVisible, type Item } from './item.ts';
import { holdsWords, readTexts, readCounted, walkPosts, type Source } from './records.ts';
import type { State } from './state.ts';
import { count } from './time-order.ts';

/** Visited posts that count as one candidate. A post whose text is compared counts as a whole candidate. */
const VISITS_PER_CANDIDATE = 64;
/** Posts whose words are added between two pauses. Short posts take less time than the pause. */
const BUILD_BATCH = 32;
const BUILD_PAUSE_MS = 1;

/** @returns a page of `Reader.feed` @throws TextUnavailable */
export async function readFeed(
  source: Source,
  filter: FeedFilter,
  { before, limit, maxCandidates }: FeedRange,
): Promise<FeedResult> {
  const { words = [], prefix, threads, name } = filter;
  const state = await source.currentState();
  const hashes = state.words.hashes(words);
  const texts = new TextBudget(MAX_COMPARED);
  const found: Item[] = [];
  let visitsLeft = maxCandidates * VISITS_PER_CANDIDATE;
  const visit = (post: Item): boolean => {
    const mayMatch =
      (prefix === undefined || post.prefix === prefix) &&
      (threads !== true || post.parent === null) &&
      (name === undefined || post.name === name) &&
      (words.length === 0 || state.words.mayHold(post, hashes));
    visitsLeft -= mayMatch ? VISITS_PER_CANDIDATE : 1;
    if (mayMatch && holdsWords(source, post, texts, words)) found.push(post);
    return found.length < limit && !texts.isSpent && visitsLeft > 0;
  };
  const { isWhole, examinedTo } = await walkPosts(source, { order: 'newest', before }, visit, texts);
  const items = readCounted<'post'>(source, found.filter(isVisible));
  return { items, examinedTo: isWhole ? null : (examinedTo ?? null) };
}

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
  let left = posts === undefined ? maxCandidates : Math.min(maxCandidates, MAX_ANSWERS);
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

/** @throws TextUnavailable if another process erases a text; then some posts stay without words */
export async function addWords(source: Source, isStopped: () => boolean): Promise<void> {
  for (;;) {
    const { withoutWords, words } = await source.currentState();
    const batch = withoutWords.splice(-BUILD_BATCH).filter(({ presence }) => presence === 'there');
    const records = readTexts(source, batch);
    for (const [index, post] of batch.entries()) words.add(post, records[index] as Post);
    if (withoutWords.length === 0 || isStopped()) return;
    await sleep(BUILD_PAUSE_MS, undefined, { ref: false });
  }
}
