import type { DayCount, TimeRange } from '#store/port/store.ts';
import type { RunQuery } from './run-query.ts';

const DAY_COUNTS = `select day, json_object_agg(prefix, posts) as "byPrefix" from (
    select left(created_at, 10) as day, coalesce(prefix, 'none') as prefix, count(*) as posts from entry
    where kind = 'post' and not hidden and created_at > coalesce($1, '') and created_at < coalesce($2, '~')
    group by 1, 2) as counted
  group by day order by day`;

/** As `Reader.dayCounts`. */
export function countByDay(runQuery: RunQuery, { after, before }: TimeRange): Promise<DayCount[]> {
  const values = [after ?? null, before ?? null];
  return runQuery<DayCount & Record<string, unknown>>('day counts', DAY_COUNTS, values);
}
