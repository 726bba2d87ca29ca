import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { Range } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import { toKeyRange } from './key-range.ts';
import type { RecordIndex } from './record-index.ts';

const BATCH_SIZE = 1024;

/**
 * Visits the visible posts of a range in its order, in slices: a post may be hidden or erased after the
 * visit, and before the walk ends.
 * @param currentIndex as of `createReader`
 * @param visit is given the numbers of consecutive posts, at least one at a time, and their index; returns
 *   whether the walk goes on
 */
export async function walkPosts(
  currentIndex: () => Promise<RecordIndex>,
  { order, before, after }: Pick<Range, 'order' | 'before' | 'after'>,
  visit: (batch: readonly number[], index: RecordIndex) => boolean,
): Promise<void> {
  let range = toKeyRange({ order, before, after, limit: BATCH_SIZE });
  for (let index = await currentIndex(), isSliceOver = startSlice(); ; ) {
    const batch = index.orders.page('post', range);
    if (batch.length > 0 && !visit(batch, index)) return;
    if (batch.length < BATCH_SIZE) return;
    const last = index.table.timeOf(batch.at(-1) ?? NONE);
    range = order === 'newest' ? { ...range, before: last } : { ...range, after: last };
    if (!isSliceOver()) continue;
    await nextSlice();
    index = await currentIndex();
    isSliceOver = startSlice();
  }
}
