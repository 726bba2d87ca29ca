import { firstIndex } from '#store/engine/sorted-list.ts';
import type { DayCount, TimeRange } from '#store/port/store.ts';
import { nextDay, toTimestamp } from './columns/time-key.ts';
import type { RecordIndex } from './record-index.ts';
import type { RecordTable } from './record-table.ts';
import { walkPosts } from './walk-posts.ts';

const DATE_LENGTH = '2026-11-21'.length;

/**
 * As `Reader.dayCounts`. Finds the end of each day by bisection.
 * @param currentIndex as of `createReader`
 */
export async function countByDay(
  currentIndex: () => Promise<RecordIndex>,
  { after, before }: TimeRange,
): Promise<DayCount[]> {
  const days: DayCount[] = [];
  let last: { readonly day: string; readonly byPrefix: Record<string, number> } | undefined;
  await walkPosts(currentIndex, { order: 'oldest', after, before }, (batch, { table }) => {
    for (let rest = batch; rest[0] !== undefined; ) {
      const time = table.timeOf(rest[0]);
      const day = toTimestamp(time).slice(0, DATE_LENGTH);
      if (last?.day !== day) days.push((last = { day, byPrefix: {} }));
      const tomorrow = nextDay(time);
      const end = firstIndex(rest, (post) => table.timeOf(post) >= tomorrow);
      addPrefixes(last.byPrefix, rest.slice(0, end), table);
      rest = rest.slice(end);
    }
    return true;
  });
  return days;
}

function addPrefixes(byPrefix: Record<string, number>, posts: readonly number[], table: RecordTable): void {
  for (const post of posts) {
    const name = table.prefixOf(post) ?? 'none';
    byPrefix[name] = (byPrefix[name] ?? 0) + 1;
  }
}
