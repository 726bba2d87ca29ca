import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_COMPARED, TextBudget } from '#message/words.ts';
import type { FeedFilter, FeedRange, FeedResult } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import { isVisible, type Item } from './item.ts';
import { holdsWords, readTexts, readCounted, walkPosts, type Source } from './records.ts';

/** Visited posts that count as one of `maxCandidates`. A post whose text is compared counts as one alone. */
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
  const state = await source.current();
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
  // A post may have been hidden during a pause.
  const items = readCounted<'post'>(source, found.filter(isVisible));
  return { items, examinedTo: isWhole ? null : (examinedTo ?? null) };
}

/** @throws TextUnavailable if another process erases a text; then some posts stay without words */
export async function addWords(source: Source, isStopped: () => boolean): Promise<void> {
  for (;;) {
    const { withoutWords, words } = await source.current();
    const batch = withoutWords.splice(-BUILD_BATCH).filter(({ presence }) => presence === 'there');
    const records = readTexts(source, batch);
    for (const [index, post] of batch.entries()) words.add(post, records[index] as Post);
    if (withoutWords.length === 0 || isStopped()) return;
    await sleep(BUILD_PAUSE_MS, undefined, { ref: false });
  }
}
