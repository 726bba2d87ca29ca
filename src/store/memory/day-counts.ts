import { firstIndex } from '#store/engine/first-index.ts';
import type { DayCount, TimeRange } from '#store/store.ts';
import type { PostEntry } from './record-entry.ts';
import type { RecordIndex } from './record-index.ts';
import { walkPosts } from './walk-posts.ts';

const DATE_LENGTH = '2026-11-21'.length;

/** Behind a date, it makes a text that is after every timestamp of the day: these go on with `T`. */
const AFTER_TIMES = 'U';

/**
 * As `Reader.dayCounts`. Finds the end of each day by bisection: to read the timestamp of every post takes longer than all
 * other work.
 * @param currentIndex as of `createReader`
 */
export async function countByDay(
  currentIndex: () => Promise<RecordIndex>,
  { after, before }: TimeRange,
): Promise<DayCount[]> {
  const days: DayCount[] = [];
  let last: { readonly day: string; readonly byPrefix: Record<string, number> } | undefined;
  await walkPosts(currentIndex, { order: 'oldest', after, before }, (batch) => {
    for (let rest = batch; rest[0] !== undefined; ) {
      const day = rest[0].record.createdAt.slice(0, DATE_LENGTH);
      if (last?.day !== day) days.push((last = { day, byPrefix: {} }));
      const end = firstIndex(rest, ({ record }) => record.createdAt > day + AFTER_TIMES);
      addPrefixes(last.byPrefix, rest.slice(0, end));
      rest = rest.slice(end);
    }
    return true;
  });
  return days;
}

function addPrefixes(byPrefix: Record<string, number>, posts: readonly PostEntry[]): void {
  for (const { record } of posts) {
    const name = record.prefix ?? 'none';
    byPrefix[name] = (byPrefix[name] ?? 0) + 1;
  }
}
