import { TextBudget } from '#store/engine/text-budget.ts';
import type { Post, Timestamp } from '#store/records.ts';
import {
  MAX_ANSWERS,
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
  type RecordView,
} from '#store/store.ts';
import type { RecordIndex } from './record-index.ts';

/** Posts that are looked at without a pause. */
const BATCH_SIZE = 256;

/** Among so many posts behind a cursor the next one of a long thread is looked for. */
const NEARBY_POSTS = 256;

type PostView = RecordView<'post'>;

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
  const index = await currentIndex();
  // Before the first page: a post that arrives during a pause is later, and so on the next page.
  const latest = index.lastTimestamp;
  const state = {
    latest,
    newer: index.orders.posts({ order: 'oldest', after, limit: MAX_COUNTED_NEWS }).length,
    unknownPosts: (posts ?? []).filter((id) => index.view(id) === undefined),
  };
  const texts = new TextBudget();
  let items: PostView[] = [];
  let left = posts === undefined ? maxCandidates : Math.min(maxCandidates, MAX_ANSWERS);
  let candidates = candidatesAfter(index, filter, after);
  for (;;) {
    const { value: view } = candidates.next();
    const examinedTo = view?.record.createdAt;
    if (view === undefined || examinedTo === undefined || examinedTo > (latest ?? ''))
      return { ...state, items, examinedTo: null };
    left -= 1;
    if (matches(view.record, filter, texts)) items.push(view);
    if (items.length === limit || texts.isSpent || left <= 0) return { ...state, items, examinedTo };
    if (!texts.isSliceOver && left % BATCH_SIZE > 0) continue;
    await texts.nextSlice();
    // What was visible before the pause may be hidden.
    const fresh = await currentIndex();
    items = items.filter(({ record }) => fresh.view(record.id) !== undefined);
    candidates = candidatesAfter(fresh, filter, examinedTo);
  }
}

function matches(post: Post, { words = [], prefix }: NewsFilter, texts: TextBudget): boolean {
  return (
    (prefix === undefined || post.prefix === prefix) && (words.length === 0 || texts.holdsWords(post, words))
  );
}

/** @returns the posts that may match, later than a timestamp and oldest first, as long as the index does not change */
function candidatesAfter(
  index: RecordIndex,
  { posts }: NewsFilter,
  after: Timestamp,
): Iterator<PostView, undefined> {
  return posts === undefined ? allAfter(index, after) : answersAfter(index, posts, after);
}

function* allAfter(index: RecordIndex, after: Timestamp): Generator<PostView, undefined> {
  for (let examinedTo = after; ; ) {
    const batch = index.page('post', { order: 'oldest', after: examinedTo, limit: BATCH_SIZE }) as PostView[];
    yield* batch;
    const last = batch.at(-1);
    if (last === undefined || batch.length < BATCH_SIZE) return undefined;
    examinedTo = last.record.createdAt;
  }
}

/** As `PostLinks.answersAfter`. */
function* answersAfter(
  index: RecordIndex,
  ids: readonly string[],
  after: Timestamp,
): Generator<PostView, undefined> {
  const nearby = index.orders.posts({ order: 'oldest', after, limit: NEARBY_POSTS });
  for (const entry of index.links.answersAfter(ids, after, nearby)) yield index.viewOf(entry) as PostView;
  return undefined;
}
