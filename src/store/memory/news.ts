import { TextBudget } from '#store/engine/text-budget.ts';
import type { Post, Timestamp } from '#store/records.ts';
import {
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
  type RecordView,
} from '#store/store.ts';
import type { RecordIndex } from './record-index.ts';

/** Posts that are read at once. */
const BATCH_SIZE = 256;

type PostView = RecordView<'post'>;

/** Reads posts later than a timestamp, oldest first; fewer than `limit` are all that there are. */
type ReadAfter = (after: Timestamp, limit: number) => PostView[];

/**
 * As `Reader.news`.
 * @param currentIndex resolves once the index holds every change that was durable at the time of the call
 */
export async function readNews(
  currentIndex: () => Promise<RecordIndex>,
  filter: NewsFilter,
  { after = '', limit, maxCandidates }: NewsRange,
): Promise<NewsResult> {
  const { posts } = filter;
  let index = await currentIndex();
  // Before the first page: a post that arrives during a pause is later, and so on the next page.
  const latest = index.lastTimestamp;
  const state = {
    latest,
    newer: readAllAfter(index)(after, MAX_COUNTED_NEWS).length,
    unknownPosts: (posts ?? []).filter((id) => index.view(id) === undefined),
  };
  const texts = new TextBudget();
  let items: PostView[] = [];
  let left = maxCandidates;
  for (let examinedTo = after; ; ) {
    const size = Math.min(BATCH_SIZE, left);
    const read = posts === undefined ? readAllAfter(index) : readAnswersAfter(index, posts);
    const batch = read(examinedTo, size);
    for (const view of batch) {
      const { record } = view;
      if (record.createdAt > (latest ?? '')) return { ...state, items, examinedTo: null };
      left -= 1;
      examinedTo = record.createdAt;
      if (matches(record, filter, texts)) items.push(view);
      if (items.length === limit || texts.isSpent) return { ...state, items, examinedTo };
      if (texts.isSliceOver) break;
    }
    if (batch.length < size && !texts.isSliceOver) return { ...state, items, examinedTo: null };
    if (left <= 0) return { ...state, items, examinedTo };
    await texts.nextSlice();
    const fresh = (index = await currentIndex());
    items = items.filter(({ record }) => fresh.view(record.id) !== undefined);
  }
}

function matches(post: Post, { words = [], prefix }: NewsFilter, texts: TextBudget): boolean {
  return (
    (prefix === undefined || post.prefix === prefix) && (words.length === 0 || texts.holdsWords(post, words))
  );
}

const readAllAfter =
  (index: RecordIndex): ReadAfter =>
  (after, limit) =>
    index.page('post', { order: 'oldest', after, limit }) as PostView[];

/** @returns a function that reads the posts that take up one of these posts or stand in a thread that one begins */
function readAnswersAfter(index: RecordIndex, posts: readonly string[]): ReadAfter {
  const own = new Set(posts);
  return (after, limit) => {
    const size = limit + own.size;
    const found = new Map<string, PostView>();
    for (const thread of own) {
      const range = { thread, order: 'oldest', after, limit: size } as const;
      for (const view of index.page('post', range) as PostView[]) found.set(view.record.id, view);
      for (const view of index.takersAfter(thread, after, size)) found.set(view.record.id, view);
    }
    for (const id of own) found.delete(id);
    // Each list has its oldest posts, so the oldest of all are among them, even without the posts themselves.
    return [...found.values()].sort(byTime).slice(0, limit);
  };
}

const byTime = ({ record: a }: PostView, { record: b }: PostView): number =>
  a.createdAt < b.createdAt ? -1 : 1;
