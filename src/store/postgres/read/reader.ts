import type pg from 'pg';
import { MAX_CLOCK_SKEW_MS } from '#store/engine/write-history.ts';
import type { Kind, ExportedRecord, CountedRecord } from '#store/port/records.ts';
import type { DayCount, PostHead, Range } from '#store/port/pages.ts';
import type { Reader, Totals } from '#store/port/store.ts';
import { type Timeouts, withTimeout } from '#store/postgres/connection/connect.ts';
import { findPosts } from './feed.ts';
import { readHistory, readLog } from './history.ts';
import { findNews, findNewsOfThreads } from './news.ts';
import { readRelated } from './related.ts';
import { coalesced, readRow, COUNTED_COLUMNS, type RunQuery } from './run-query.ts';
import { createReadSteps } from './steps.ts';
import { readThreads } from './threads.ts';
import { isStorableText } from '#store/postgres/connection/errors.ts';
import type { DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import type { ClientTags } from '#store/postgres/schema/client-tags.ts';

const FIND = `select ${COUNTED_COLUMNS} from entry where id = $1 and not hidden`;

const POSTS = `select ${COUNTED_COLUMNS} from unnest($1::text[]) with ordinality as asked(id, place)
  join entry on entry.id = asked.id where kind = 'post' and not hidden order by place`;

const RECORDS = 'select kind, body as record from entry where id = any($1)';

const COUNT_POSTS = `select count(*)::integer as count from (select from entry
  where kind = 'post' and not hidden and created_at > $1 and created_at < $2 limit $3) as counted`;

const DAY_COUNTS = `select day, json_object_agg(prefix, posts) as "byPrefix" from (
    select left(created_at, 10) as day, coalesce(prefix, 'none') as prefix, count(*) as posts from entry
    where kind = 'post' and not hidden and created_at > $1 and created_at < $2 group by 1, 2) as counted
  group by day order by day`;

const FIRST_POSTS = `select id, created_at as "createdAt" from entry
  where kind = 'post' and not hidden and parent_id is null order by created_at desc limit $1`;

// A post replies to another, or names it, or both.
const REFERRERS = `select id, prefix, name, mark, created_at as "createdAt" from (
    (select id, prefix, body ->> 'name' as name, lower(body ->> 'mark') as mark, created_at from entry
      where parent_id = $1 and parent_id is not null and not hidden order by created_at desc limit $2)
    union
    (select named.id, prefix, body ->> 'name', lower(body ->> 'mark'), named.created_at from (
        select id, created_at from mention where target = $1 and not hidden order by created_at desc limit $2
      ) as named join entry on entry.id = named.id)
  ) as referrer order by created_at desc limit $2`;

const MODERATIONS =
  'select action, id, at, reason from moderation where at < $2 order by at desc, arrival desc limit $1';

// A client has one tag for each day and secret; the limit of each keeps the scan short.
const RECENT_WRITE_AGES = `with present as (
    select coalesce($5::float8, extract(epoch from clock_timestamp())::float8 * 1000) as now
  )
  select now - at as age from present, unnest($1::text[]) as tag, lateral (
    select at from write_history where client = tag collate "C" and limit_scope = $2
      and at > now - $3 and at < now + ${MAX_CLOCK_SKEW_MS} order by at desc limit $4) as found
  order by at desc limit $4`;

const TIMESTAMPS_AROUND = `select
    greatest(max(last) filter (where last <= $1),
      (select max(created_at) from entry where created_at <= $1),
      (select max(at) from moderation where at <= $1)) as "atOrBefore",
    least(max(last) filter (where last >= $1),
      (select min(created_at) from entry where created_at >= $1),
      (select min(at) from moderation where at >= $1)) as "atOrAfter"
  from clock`;

const PAGES = {
  page: 'kind = $1',
  thread: 'root_id = $1 and root_id is not null',
  within: 'parent_id = $1 and parent_id is not null and exists (select from entry where id = $1)',
};

/** @returns `name` of the prepared statement too, by the form of the query */
function pageQuery(kind: Kind, { within, thread, before, after, order, limit }: Range) {
  const page = thread !== undefined ? 'thread' : within !== undefined ? 'within' : 'page';
  const values: unknown[] = [thread ?? within ?? kind, limit];
  const bound = (operator: string, at: string | undefined): string =>
    at === undefined ? '' : ` and created_at ${operator} $${values.push(at)}`;
  const bounds = bound('<', before) + bound('>', after);
  const direction = order === 'newest' ? 'desc' : 'asc';
  const text = `select ${COUNTED_COLUMNS} from entry where ${PAGES[page]} and not hidden${bounds}
    order by created_at ${direction} limit $2`;
  return { name: `${page}${bounds}${direction}`, text, values };
}

interface ReaderOptions {
  readonly runQuery: RunQuery;
  readonly pool: pg.Pool;
  readonly clock: DatabaseClock;
  readonly tags: ClientTags;
  readonly timeouts: Timeouts;
}

/** Each read is one statement, which reads only rows that it returns; but for the feed with a filter. */
export function createReader({ runQuery, pool, clock, tags, timeouts }: ReaderOptions): Reader {
  const readClock = coalesced(() =>
    readRow<{ totals: Totals; frozen: boolean }>(runQuery, 'clock', 'select totals, frozen from clock'),
  );
  return {
    async find<K extends Kind>(kind: K, id: string) {
      if (!id.startsWith(`${kind}_`) || !isStorableText(id)) return undefined;
      return (await runQuery<CountedRecord<K>>('find', FIND, [id]))[0];
    },
    page: <K extends Kind>(kind: K, range: Range) => {
      const { name, text, values } = pageQuery(kind, range);
      return runQuery<CountedRecord<K>>(name, text, values);
    },
    feed: (filter, range) => findPosts(runQuery, filter, range),
    news: (filter, range) => findNews(runQuery, filter, range),
    newsOfThreads: (filter, range) => findNewsOfThreads(runQuery, filter, range),
    threads: (range) => readThreads(runQuery, range),
    related: (query) => readRelated(runQuery, query),
    referrersOf: async (id, limit) =>
      isStorableText(id) ? runQuery<PostHead>('referrers', REFERRERS, [id, limit]) : [],
    dayCounts: ({ after, before }) =>
      runQuery<DayCount>('day counts', DAY_COUNTS, [after ?? '', before ?? '~']),
    firstPosts: (limit) => runQuery('first posts', FIRST_POSTS, [limit]),
    steps: createReadSteps(runQuery),
    posts: (ids) => runQuery<CountedRecord<'post'>>('posts', POSTS, [ids.filter(isStorableText)]),
    countPosts: async ({ after, before }, limit) => {
      const values = [after ?? '', before ?? '~', limit];
      return (await readRow<{ count: number }>(runQuery, 'count-posts', COUNT_POSTS, values)).count;
    },
    totals: async () => (await readClock()).totals,
    frozen: async () => (await readClock()).frozen,
    timestampsAround: (at) => readRow(runQuery, 'timestamps-around', TIMESTAMPS_AROUND, [at]),
    records: (ids) => runQuery<ExportedRecord>('records', RECORDS, [ids.filter(isStorableText)]),
    // Timestamps consist of digits and the letters T and Z.
    moderations: (limit, before) => runQuery('moderations', MODERATIONS, [limit, before ?? '~']),
    recentWriteAges: async (clientKey, limitScope, windowMs, limit) => {
      const now = clock.now();
      await tags.load(now);
      const asked = tags.ofWindow(now, windowMs).map((day) => day.tag('client', clientKey));
      const values = [asked, limitScope, windowMs, limit, clock.override() ?? null];
      const reading = runQuery<{ age: number }>('window', RECENT_WRITE_AGES, values);
      return (await withTimeout(reading, timeouts.optionalReadMs)).map(({ age }) => age);
    },
    history: () => readHistory(pool),
    log: (after, limit) => readLog(runQuery, after, limit),
  };
}
