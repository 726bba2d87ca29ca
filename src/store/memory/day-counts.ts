import type { DayCount, TimeRange } from '#store/store.ts';
import type { RecordIndex } from './record-index.ts';
import { walkPosts } from './walk-posts.ts';

const DATE_LENGTH = '2026-11-21'.length;

/**
 * As `Reader.dayCounts`.
 * @param currentIndex as of `createReader`
 */
export async function countByDay(
  currentIndex: () => Promise<RecordIndex>,
  { after, before }: TimeRange,
): Promise<DayCount[]> {
  const days: DayCount[] = [];
  let last: { readonly day: string; readonly byPrefix: Record<string, number> } | undefined;
  await walkPosts(currentIndex, { order: 'oldest', after, before }, ({ createdAt, prefix }) => {
    if (last === undefined || !createdAt.startsWith(last.day))
      days.push((last = { day: createdAt.slice(0, DATE_LENGTH), byPrefix: {} }));
    const name = prefix ?? 'none';
    last.byPrefix[name] = (last.byPrefix[name] ?? 0) + 1;
    return true;
  });
  return days;
}
