import { TextBudget } from '#message/text-budget.ts';
import {
  MAX_ANSWERS,
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
  type Post,
  type PostOfThread,
  type RecordView,
} from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import { BEFORE_ALL, toTimestamp, type TimeKey } from './columns/time-key.ts';
import { afterKey } from './key-range.ts';
import type { RecordIndex } from './record-index.ts';

/** Posts that are looked at without a pause. */
const BATCH_SIZE = 256;

/** What a read of news returns of each post. */
export interface NewsItems<Item> {
  readonly make: (index: RecordIndex, post: number) => Item | undefined;
  readonly idOf: (item: Item) => string;
  /** Whose words are compared with those of the filter. */
  readonly textOf: (item: Item, index: RecordIndex, post: number) => Post;
}

export const VIEWS: NewsItems<RecordView<'post'>> = {
  make: (index, post) => (index.viewsOf([post]) as RecordView<'post'>[])[0],
  idOf: ({ record }) => record.id,
  textOf: ({ record }) => record,
};

/** Read no text unless the filter has words. */
export const POSTS_OF_THREADS: NewsItems<PostOfThread> = {
  make: ({ table }, post) => ({
    id: table.idOf(post),
    prefix: table.prefixOf(post),
    rootId: table.idOf(table.rootOf(post)),
    createdAt: toTimestamp(table.timeOf(post)),
  }),
  idOf: ({ id }) => id,
  textOf: (_, index, post) => index.records.all([post])[0] as Post,
};

/**
 * As `Reader.news`.
 * @param currentIndex resolves once the index holds every change that was durable at the time of the call
 * @throws TextUnavailable
 */
export async function readNews<Item>(
  currentIndex: () => Promise<RecordIndex>,
  filter: NewsFilter,
  { after = '', limit, maxCandidates }: NewsRange,
  form: NewsItems<Item>,
): Promise<NewsResult<Item>> {
  const { posts } = filter;
  const index = await currentIndex();
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
  let items: Item[] = [];
  let left = posts === undefined ? maxCandidates : Math.min(maxCandidates, MAX_ANSWERS);
  let candidates = candidatesAfter(index, filter, examinedTo);
  for (let current = index; ; ) {
    const post = candidates.next().value ?? NONE;
    examinedTo = current.table.timeOf(post);
    if (post === NONE || end === undefined || examinedTo > end) return { ...state, items, examinedTo: null };
    left -= 1;
    const item = itemIfMatching(current, post, filter, texts, form);
    if (item !== undefined) items.push(item);
    if (items.length === limit || texts.isSpent || left <= 0)
      return { ...state, items, examinedTo: toTimestamp(examinedTo) };
    if (!texts.isSliceOver && left % BATCH_SIZE > 0) continue;
    await texts.nextSlice();
    // What was visible before the pause may be hidden.
    const fresh = (current = await currentIndex());
    items = items.filter((one) => fresh.isVisible(form.idOf(one)));
    candidates = candidatesAfter(fresh, filter, examinedTo);
  }
}

function isEmptyFilter({ posts, prefix, words = [], any = [] }: NewsFilter): boolean {
  return posts === undefined && prefix === undefined && words.length === 0 && any.length === 0;
}

/** @throws TextUnavailable */
function itemIfMatching<Item>(
  index: RecordIndex,
  post: number,
  { words = [], any = [], prefix }: NewsFilter,
  texts: TextBudget,
  { make, textOf }: NewsItems<Item>,
): Item | undefined {
  if (prefix !== undefined && index.table.prefixOf(post) !== prefix) return undefined;
  const item = make(index, post);
  if (item === undefined || (words.length === 0 && any.length === 0)) return item;
  return texts.holdsWords(textOf(item, index, post), words, any) ? item : undefined;
}

/** @returns posts that may match, later than a time, oldest first, while the index does not change */
function candidatesAfter(
  index: RecordIndex,
  { posts }: NewsFilter,
  after: TimeKey | undefined,
): Iterator<number, void> {
  if (posts === undefined) return allAfter(index, after);
  const known = posts.map((id) => index.table.numberOf(id)).filter((post) => post !== NONE);
  return index.links.answersAfter(known, after ?? BEFORE_ALL);
}

function* allAfter(index: RecordIndex, after: TimeKey | undefined): Generator<number, void> {
  for (let examinedTo = after; ; ) {
    const batch = index.orders.page('post', { order: 'oldest', after: examinedTo, limit: BATCH_SIZE });
    yield* batch;
    if (batch.length < BATCH_SIZE) return;
    examinedTo = index.table.timeOf(batch.at(-1) ?? NONE);
  }
}
