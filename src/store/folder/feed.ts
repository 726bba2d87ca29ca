import { MAX_COMPARED, TextBudget } from '#message/words.ts';
import type { FeedFilter, FeedRange, FeedResult } from '#store/port/pages.ts';
import { isVisible, type Item } from './item.ts';
import { holdsWords, readCounted, walkPosts, type Source } from './records.ts';

/** Visited posts that count as one candidate. A post whose text is compared counts as a whole candidate. */
const VISITS_PER_CANDIDATE = 64;

/** @returns a page of `Reader.feed` @throws TextUnavailable */
export async function findPosts(
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
