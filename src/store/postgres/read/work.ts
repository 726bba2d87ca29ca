import type { Post, Timestamp } from '#store/records.ts';
import type { Reader, RecordView, Standing, WorkItem, WorkList, WorkRange } from '#store/store.ts';
import { isStorableText } from '#store/postgres/write/storable-text.ts';
import { MAX_UNDER_WAY, MAX_WORK_COUNT, readWorkPage } from '#store/work/work-reader.ts';
import { dueInForce, OVERDUE_MS } from '#store/work/work-rules.ts';
import type { RunQuery } from './run-query.ts';
import { VIEW_COLUMNS } from './view-columns.ts';

/** Of the newest posts that may be on a list, so many are looked at before the index of due times. */
const RECENT = 200;

const BOUNDS = `created_at < coalesce($1, '~') and created_at > coalesce($2, '')`;

const isListed = (prefix: string): string => `prefix = '${prefix}' and listed_due is not null`;

const COLUMNS = 'id, created_at, listed_due';

/** The posts of each list, in an order, with the bounds, the limit and two times as parameters. */
const LISTED: Readonly<Record<WorkList, (order: string) => string>> = {
  ideas: listedBy('IDEA'),
  unreviewed: (order) => `select ${COLUMNS} from work_post
    where ${isListed('RESULT')} and ${BOUNDS} and $5::float8 > $4 order by created_at ${order} limit $3`,
  working: listedBy('WORK'),
  overdue: listedBy('WORK'),
};

// In the order of time first. Where most of these are not listed at the moment, by their due times.
function listedBy(prefix: string): (order: string) => string {
  const isDue = 'listed_due > $4::float8 and listed_due <= $5::float8';
  return (order) => `(with recent as materialized (
      select ${COLUMNS} from work_post where ${isListed(prefix)} and ${BOUNDS} order by created_at ${order} limit ${RECENT}
    ), near as materialized (
      select * from recent where ${isDue} order by created_at ${order} limit $3
    ), far as materialized (
      select ${COLUMNS} from work_post where ${isListed(prefix)} and ${isDue} and ${BOUNDS}
        and (select count(*) from near) < $3 and (select count(*) from recent) = ${RECENT}
    )
    select * from near union select * from far order by created_at ${order} limit $3)`;
}

const countOf = (where: string): string =>
  `(select count(*)::integer from (select from work_post where ${where} limit ${MAX_WORK_COUNT}) as counted)`;

const nextDue = (after: string): string =>
  `(select listed_due from work_post where ${isListed('WORK')} and listed_due > ${after} order by listed_due limit 1)`;

const COUNTS = `select ${countOf(`${isListed('IDEA')} and listed_due <= $1::float8`)} as ideas,
  ${countOf(`${isListed('WORK')} and listed_due > $1::float8`)} as working,
  ${countOf(`${isListed('WORK')} and listed_due > $2::float8 and listed_due <= $1`)} as overdue,
  ${countOf(isListed('RESULT'))} as unreviewed,
  ${nextDue('$1')} as due, ${nextDue('$2')} as past`;

const STANDINGS = `select post.id, post.prefix, (
    select coalesce(json_agg(json_build_object('id', work.id, 'name', (select body ->> 'name' from entry where entry.id = work.id),
      'dueAt', listed_due) order by created_at desc), '[]')
    from (select id, listed_due, created_at from work_link where target = post.id and listed_due > $2::float8
      order by created_at desc limit ${MAX_UNDER_WAY}) as work
  ) as "underWay"
  from unnest($1::text[]) with ordinality as asked(id, place),
    lateral (select id, prefix from entry where entry.id = asked.id and kind = 'post' and not hidden limit 1) as post
  order by place`;

interface CountsRow {
  readonly ideas: number;
  readonly working: number;
  readonly overdue: number;
  readonly unreviewed: number;
  readonly due: number | null;
  readonly past: number | null;
}

interface ItemRow extends RecordView<'post'> {
  readonly listedDue: number;
}

/** @returns the last time before the due times of `overdue` */
const beforeOverdue = (now: number): number => Math.ceil(now - OVERDUE_MS) - 1;

/** @returns the due times that put a post on a list: after the first, up to the second */
function dueRange(list: WorkList, now: number): [number, number] {
  if (list === 'overdue') return [beforeOverdue(now), now];
  return list === 'working' ? [now, Infinity] : [-1, now];
}

/** Reads the lists of work, which writes keep up with in `work_post`. */
export function createWorkReader(runQuery: RunQuery): Pick<Reader, 'work' | 'workCounts' | 'standings'> {
  const readList = async (list: WorkList, range: WorkRange, now: number): Promise<WorkItem[]> => {
    const order = range.order === 'newest' ? 'desc' : 'asc';
    const [from, to] = dueRange(list, now);
    const text = `select ${VIEW_COLUMNS}, listed.listed_due as "listedDue"
      from (${LISTED[list](order)}) as listed join entry on entry.id = listed.id order by entry.created_at ${order}`;
    const values: (Timestamp | number | null)[] = [
      range.before ?? null,
      range.after ?? null,
      range.limit,
      from,
      to,
    ];
    const rows = await runQuery<ItemRow>(`work ${list} ${order}`, text, values);
    return rows.map(({ listedDue, ...view }) => {
      const record: Post = view.record;
      return record.prefix === 'WORK' ? { ...view, due: dueInForce(record, listedDue) } : view;
    });
  };
  return {
    work: (list, range, now) => readWorkPage(range, (part) => readList(list, part, now)),
    async workCounts(now) {
      const [row] = await runQuery<CountsRow & Record<string, unknown>>('work counts', COUNTS, [
        now,
        beforeOverdue(now),
      ]);
      if (row === undefined) throw new Error('the counts are missing');
      const { due, past, ...counts } = row;
      const changes = [...(due === null ? [] : [due]), ...(past === null ? [] : [past + OVERDUE_MS + 1])];
      return { counts, changesAt: changes.length === 0 ? null : Math.min(...changes) };
    },
    standings: (ids, now) =>
      runQuery<Standing & Record<string, unknown>>('work standings', STANDINGS, [
        ids.filter(isStorableText),
        now,
      ]),
  };
}
