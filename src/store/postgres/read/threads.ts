import type { ThreadPage, ThreadRange } from '#store/store.ts';
import type { RunQuery } from './run-query.ts';
import { VIEW_COLUMNS } from './view-columns.ts';

const VISIBLE = `kind = 'post' and not hidden and created_at < coalesce($1, '~')`;

const visibleOf = (root: string): string => `root_id = ${root} and root_id is not null and not hidden`;

// The subqueries depend on a row each, so that every plan looks them up by an index, however many posts there are.
const THREADS = `with found as materialized (
    select root_id, created_at from (
      select root_id, created_at from entry where ${VISIBLE} order by created_at desc limit $2) as candidate
    where created_at = (
      select created_at from entry where ${visibleOf('candidate.root_id')} order by created_at desc limit 1)
    order by created_at desc limit $3
  ), thread_head as (
    select found.created_at as last_at,
      coalesce((select id from entry where id = found.root_id and not hidden),
        (select id from entry where ${visibleOf('found.root_id')} order by created_at limit 1)) as id,
      coalesce((select replies from thread where thread.root_id = found.root_id), 0)
        + (select count(*)::integer from entry where id = found.root_id and root_id = id and not hidden) as size
    from found
  )
  select (select coalesce(json_agg(json_build_object('post', (
        select json_build_object('record', record, 'children', children)
        from (select ${VIEW_COLUMNS} from entry where entry.id = thread_head.id) as view),
      'size', size, 'lastAt', last_at) order by last_at desc), '[]') from thread_head) as items,
    case when (select count(*) from found) < $3
      then (select created_at from entry where ${VISIBLE} order by created_at desc offset $2 - 1 limit 1)
      else (select min(created_at) from found) end as "examinedTo"`;

/** As `Reader.threads`: one statement, which looks up the last visible post of the thread of each candidate. */
export async function readThreads(
  runQuery: RunQuery,
  { before, limit, maxCandidates }: ThreadRange,
): Promise<ThreadPage> {
  const values = [before ?? null, maxCandidates, limit];
  const [page] = await runQuery<ThreadPage & Record<string, unknown>>('threads', THREADS, values);
  return page ?? { items: [], examinedTo: null };
}
