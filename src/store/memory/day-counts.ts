import type { DayCount, TimeRange } from '#store/port/store.ts';
import { BEFORE_ALL, nextDay, toTimestamp } from './columns/time-key.ts';
import type { RecordIndex } from './record-index.ts';
import { walkPosts } from './walk-posts.ts';

const DATE_LENGTH = '2026-11-21'.length;

/**
 * Counts the posts of a range by day, as `Reader.dayCounts` says.
 * @param currentIndex as of `createReader`
 */
export async function countByDay(
  currentIndex: () => Promise<RecordIndex>,
  { after, before }: TimeRange,
): Promise<DayCount[]> {
  const days: DayCount[] = [];
  let byPrefix: Record<string, number> = {};
  let tomorrow = BEFORE_ALL;
  await walkPosts(currentIndex, { order: 'oldest', after, before }, (batch, { table }) => {
    for (const post of batch) {
      const time = table.timeOf(post);
      if (time >= tomorrow) {
        tomorrow = nextDay(time);
        days.push({ day: toTimestamp(time).slice(0, DATE_LENGTH), byPrefix: (byPrefix = {}) });
      }
      const name = table.prefixOf(post) ?? 'none';
      byPrefix[name] = (byPrefix[name] ?? 0) + 1;
    }
    return true;
  });
  return days;
}
