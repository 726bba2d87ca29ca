import { setTimeout as sleep } from 'node:timers/promises';
import { startSlice } from '#runtime/slice.ts';
import { MAX_COMPARED, TextBudget } from '#message/words.ts';
import type { FeedFilter, FeedRange, FeedResult } from '#store/port/pages.ts';
import type { Post } from '#store/port/records.ts';
import { isVisible, type Item } from './item.ts';
import { readTexts, readViews, type Source } from './records.ts';
import { latestFirst } from './time-order.ts';

/** Visited posts that count as one of `maxCandidates`. A post whose text is compared counts as one alone. */
const VISITS_PER_CANDIDATE = 64;
/** Posts that are visited between two calls of `pause`. */
const BATCH_SIZE = 64;
/** Posts whose words are added between two pauses. Short posts take less time than the pause. */
const BUILD_BATCH = 32;
const BUILD_PAUSE_MS = 1;

/** @returns as `Reader.feed` @throws TextUnavailable */
export async function readFeed(
  source: Source,
  filter: FeedFilter,
  { before, limit, maxCandidates }: FeedRange,
): Promise<FeedResult> {
  const { words = [], prefix, threads, name } = filter;
  const texts = new TextBudget(MAX_COMPARED);
  let found: Item[] = [];
  let visitsLeft = maxCandidates * VISITS_PER_CANDIDATE;
  let examinedTo = before;
  for (;;) {
    const state = await source.current();
    const hashes = state.words.hashes(words);
    // A post may have been hidden during the pause.
    found = found.filter(isVisible);
    const isSliceOver = startSlice();
    let end: 'page' | 'slice' | undefined;
    let looks = 0;
    for (const post of latestFirst(state.visible.post, examinedTo)) {
      examinedTo = post.createdAt;
      looks += 1;
      const mayMatch =
        (prefix === undefined || post.prefix === prefix) &&
        (threads !== true || post.parent === null) &&
        (name === undefined || post.name === name) &&
        (words.length === 0 || state.words.mayHold(post, hashes));
      visitsLeft -= mayMatch ? VISITS_PER_CANDIDATE : 1;
      if (mayMatch && (words.length === 0 || holdsWords(source, post, words, texts))) found.push(post);
      if (found.length === limit || texts.isSpent || visitsLeft <= 0) end = 'page';
      else if (texts.isSliceOver || (looks % BATCH_SIZE === 0 && isSliceOver())) end = 'slice';
      if (end !== undefined) break;
    }
    if (end === 'slice') await texts.nextSlice();
    else return { items: readViews(source, found), examinedTo: end === 'page' ? (examinedTo ?? null) : null };
  }
}

function holdsWords(source: Source, post: Item, words: readonly string[], texts: TextBudget): boolean {
  return texts.holdsWords(readTexts(source, [post])[0] as Post, words);
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
