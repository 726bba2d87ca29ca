import { nextSlice, startSlice } from '#store/slice.ts';
import type { Range } from '#store/store.ts';
import type { PostEntry } from './record-entry.ts';
import type { RecordIndex } from './record-index.ts';

/** Posts that are taken from the index at once. */
const BATCH_SIZE = 1024;

/**
 * Visits the visible posts of a range in its order, in slices: a post may be hidden or erased after the visit, and before
 * the walk ends.
 * @param currentIndex as of `createReader`
 * @param visit is given consecutive posts, at least one at a time; returns whether the walk goes on
 */
export async function walkPosts(
  currentIndex: () => Promise<RecordIndex>,
  { order, before, after }: Pick<Range, 'order' | 'before' | 'after'>,
  visit: (batch: readonly PostEntry[]) => boolean,
): Promise<void> {
  const range = { order, before, after, limit: BATCH_SIZE };
  for (let index = await currentIndex(), isSliceOver = startSlice(); ; ) {
    const batch = index.orders.posts(range);
    if (batch.length > 0 && !visit(batch)) return;
    if (batch.length < BATCH_SIZE) return;
    range[order === 'newest' ? 'before' : 'after'] = batch.at(-1)?.record.createdAt;
    if (!isSliceOver()) continue;
    await nextSlice();
    index = await currentIndex();
    isSliceOver = startSlice();
  }
}
