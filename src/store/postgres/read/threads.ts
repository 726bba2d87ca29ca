import { MAX_COUNTED_NEWS, type ThreadPage, type ThreadRange } from '#store/port/pages.ts';
import { isStorableText } from '#store/postgres/connection/errors.ts';
import { readRow, COUNTED_COLUMNS, type RunQuery } from './run-query.ts';

const visibleOf = (root: string): string =>
  `entry.root_id = ${root} and entry.root_id is not null and not hidden`;

const IN_RANGE = 'last_at > $1 and last_at < $2';

// The last post of a thread may be an excepted one.
const foundIn = (order: string): string => `excepted as materialized (
    select root_id from entry where id = any ($4) and kind = 'post' and not hidden group by root_id
  ), found as materialized (
    select root_id, last_at from (
      (select root_id, last_at from thread where ${IN_RANGE} and root_id not in (select root_id from excepted)
        order by last_at ${order} limit $3)
      union all
      select root_id, (select created_at from entry where ${visibleOf('excepted.root_id')} and id <> all ($4)
        order by created_at desc limit 1) from excepted
    ) as candidate where ${IN_RANGE} order by last_at ${order} limit $3
  )`;

// Each subquery depends on a row, so that every plan uses an index, however many posts there are.
const HEADS = `thread_head as (
    select root_id, last_at,
      coalesce((select id from entry where id = found.root_id and not hidden),
        (select id from entry where ${visibleOf('found.root_id')} order by created_at limit 1)) as id,
      coalesce((select replies from thread where thread.root_id = found.root_id), 0)
        + (select count(*)::integer from entry where id = found.root_id and root_id = id and not hidden)
        as size
    from found
  )`;

const NEWS = `(select json_build_object(
      'count', sum(count)::integer, 'byPrefix', json_object_agg(prefix, count), 'newestResult', max(result)
    ) from (
    select coalesce(prefix, 'none') as prefix, count(*)::integer as count,
      (array_agg(id order by created_at desc) filter (where prefix = 'RESULT'))[1] as result
    from (select id, prefix, created_at from entry
      where ${visibleOf('thread_head.root_id')} and created_at > $1 and id <> all ($4)
      order by created_at desc limit ${MAX_COUNTED_NEWS}) as new_post
    group by 1) as by_prefix)`;

const TAIL = `(select coalesce(json_agg(head order by "createdAt"), '[]') from (
    select id, prefix, body ->> 'name' as name, lower(body ->> 'mark') as mark,
      created_at as "createdAt" from entry
    where ${visibleOf('thread_head.root_id')} order by created_at desc limit $5) as head)`;

/** @param more further members of each thread, each after a comma */
const toPage = (order: string, more: string): string => `with ${foundIn(order)}, ${HEADS}
  select (select last from clock) as latest,
    (select coalesce(json_agg(json_build_object('post', (
        select json_build_object('record', record, 'children', children)
        from (select ${COUNTED_COLUMNS} from entry where entry.id = thread_head.id) as view),
      'size', size, 'lastAt', last_at, 'lastId', (select id from entry
        where ${visibleOf('thread_head.root_id')} and created_at = last_at limit 1)${more}
      ) order by last_at ${order}), '[]') from thread_head) as items`;

const ORDERS = { newest: 'desc', oldest: 'asc' } as const;

export function readThreads(
  runQuery: RunQuery,
  { order, before, after, except = [], tail, limit }: ThreadRange,
): Promise<ThreadPage> {
  const values = [after ?? '', before ?? '~', limit, except.filter(isStorableText), ...[tail ?? []].flat()];
  const [name, news] = after === undefined ? ['threads', ''] : ['news of threads', `, 'news', ${NEWS}`];
  const [tails, newest] = tail === undefined ? ['', ''] : [' with tails', `, 'tail', ${TAIL}`];
  const text = toPage(ORDERS[order], news + newest);
  return readRow(runQuery, `${name}${tails}, ${order}`, text, values);
}
