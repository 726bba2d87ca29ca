import { TextBudget } from '#store/engine/text-budget.ts';
import type { WorkItem, WorkPage, WorkRange } from '#store/store.ts';

/** Counts end here. */
export const MAX_WORK_COUNT = 1000;

/** Of one post, at most so many WORKs under way are returned: one more than is shown, so that a WORK can leave itself out. */
export const MAX_UNDER_WAY = 6;

/**
 * Reads one page of a list whose items are compared with the words of a query.
 * @param candidates returns the next items of the list from a cursor on
 */
export async function readWorkPage(
  range: WorkRange,
  candidates: (range: WorkRange) => Promise<WorkItem[]>,
): Promise<WorkPage> {
  const { words = [], limit, order } = range;
  let left = words.length === 0 ? limit : range.maxCandidates;
  const items: WorkItem[] = [];
  const texts = new TextBudget();
  const bound = order === 'newest' ? 'before' : 'after';
  for (let from = range[bound]; ; ) {
    const count = Math.min(left, Math.max(limit, words.length === 0 ? 0 : 100));
    const found = await candidates({ ...range, [bound]: from, limit: count });
    for (const item of found) {
      from = item.record.createdAt;
      left -= 1;
      const isMatch = words.length === 0 || texts.holdsWords(item.record, words);
      if (texts.isSliceOver) await texts.nextSlice();
      if (!isMatch) {
        if (texts.isSpent) return { items, examinedTo: from };
        continue;
      }
      items.push(item);
      if (items.length === limit) return { items, examinedTo: from };
    }
    if (found.length < count) return { items, examinedTo: null };
    if (left === 0) return { items, examinedTo: from ?? null };
  }
}
