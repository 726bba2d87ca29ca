import { TextBudget } from '#message/text-budget.ts';
import {
  MAX_ANSWERS,
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
  type Post,
} from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import { BEFORE_ALL, toTimestamp, type TimeKey } from './columns/time-key.ts';
import { afterKey } from './key-range.ts';
import type { RecordIndex } from './record-index.ts';

/** Posts that are looked at without a pause. */
const BATCH_SIZE = 256;

/** A page of news without what is shown of the posts. */
type FoundNews = Omit<NewsResult, 'items'> & {
  readonly posts: readonly number[];
  readonly index: RecordIndex;
};

/**
 * Finds the posts of a page of `Reader.news`.
 * @param currentIndex resolves once the index holds every change that was durable at the time of the call
 * @returns `posts` are numbers in `index`
 * @throws TextUnavailable
 */
export async function findNews(
  currentIndex: () => Promise<RecordIndex>,
  filter: NewsFilter,
  { after = '', limit, maxCandidates }: NewsRange,
): Promise<FoundNews> {
  const { posts } = filter;
  let index = await currentIndex();
  let examinedTo = afterKey(after);
  // Before the first page: a post that arrives during a pause is later, and so on the next page.
  const latest = index.lastTimestamp;
  const end = afterKey(latest ?? '');
  const state = {
    latest,
    newer: isEmptyFilter(filter)
      ? index.orders.page('post', { order: 'oldest', after: examinedTo, limit: MAX_COUNTED_NEWS }).length
      : null,
    unknownPosts: (posts ?? []).filter((id) => !index.isVisible(id)),
  };
  const texts = new TextBudget();
  let found: number[] = [];
  let left = posts === undefined ? maxCandidates : Math.min(maxCandidates, MAX_ANSWERS);
  let candidates = candidatesAfter(index, filter, examinedTo);
  for (;;) {
    const post = candidates.next().value ?? NONE;
    examinedTo = index.table.timeOf(post);
    if (post === NONE || end === undefined || examinedTo > end)
      return { ...state, posts: found, index, examinedTo: null };
    left -= 1;
    if (matches(index, post, filter, texts)) found.push(post);
    if (found.length === limit || texts.isSpent || left <= 0)
      return { ...state, posts: found, index, examinedTo: toTimestamp(examinedTo) };
    if (!texts.isSliceOver && left % BATCH_SIZE > 0) continue;
    const ids = found.map((one) => index.table.ids.idOf(one));
    await texts.nextSlice();
    // What was visible before the pause may be hidden, and another index has other numbers.
    index = await currentIndex();
    const { table } = index;
    found = ids.map((id) => table.ids.find(id)).filter((one) => table.isVisible(one));
    candidates = candidatesAfter(index, filter, examinedTo);
  }
}

function isEmptyFilter({ posts, prefix, words = [], any = [] }: NewsFilter): boolean {
  return posts === undefined && prefix === undefined && words.length === 0 && any.length === 0;
}

/** @throws TextUnavailable */
function matches(
  index: RecordIndex,
  post: number,
  { words = [], any = [], prefix }: NewsFilter,
  texts: TextBudget,
): boolean {
  if (prefix !== undefined && index.table.prefixOf(post) !== prefix) return false;
  if (words.length === 0 && any.length === 0) return true;
  return texts.holdsWords(index.readRecords([post])[0] as Post, words, any);
}

/** @returns posts that may match, later than a time, oldest first, while the index does not change */
function candidatesAfter(
  index: RecordIndex,
  { posts }: NewsFilter,
  after: TimeKey | undefined,
): Iterator<number, void> {
  if (posts === undefined) return allAfter(index, after);
  const known = posts.map((id) => index.table.ids.find(id)).filter((post) => post !== NONE);
  return answersAfter(index, known, after ?? BEFORE_ALL);
}

/**
 * @yields the visible posts that take up one of these posts or stand in a thread that one begins, without
 *   these posts, later than the time and oldest first. It ends when a post is hidden.
 */
function* answersAfter(
  { table, threads, takers }: RecordIndex,
  posts: readonly number[],
  after: TimeKey,
): Generator<number, void> {
  const own = new Set(posts);
  /** The next post of each list. Two lists may hold the same one. */
  const heads = new Map<Iterator<number, void>, number>();
  const advance = (list: Iterator<number, void>): void => {
    const { value, done } = list.next();
    if (done === true) heads.delete(list);
    else heads.set(list, value);
  };
  for (const target of own) {
    advance(threads.recordsAfter(target, after));
    advance(takers.takersAfter(target, after));
  }
  while (heads.size > 0) {
    let next = NONE;
    for (const head of heads.values())
      if (next === NONE || table.timeOf(head) < table.timeOf(next)) next = head;
    for (const [list, head] of [...heads]) if (head === next) advance(list);
    if (!own.has(next)) yield next;
  }
}

function* allAfter(index: RecordIndex, after: TimeKey | undefined): Generator<number, void> {
  for (let examinedTo = after; ; ) {
    const batch = index.orders.page('post', { order: 'oldest', after: examinedTo, limit: BATCH_SIZE });
    yield* batch;
    if (batch.length < BATCH_SIZE) return;
    examinedTo = index.table.timeOf(batch.at(-1) ?? NONE);
  }
}
