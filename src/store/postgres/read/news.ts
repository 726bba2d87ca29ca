import { TextBudget } from '#message/words.ts';
import {
  MAX_EXAMINED_NEWS,
  MAX_COUNTED_NEWS,
  type NewsFilter,
  type NewsRange,
  type NewsResult,
  type PostOfThread,
} from '#store/port/pages.ts';
import { CROWDED, filterHashes } from '#store/postgres/schema/words-column.ts';
import { isStorableText } from '#store/postgres/connection/errors.ts';
import { compareTexts, endOf } from './feed.ts';
import { readRow, COUNTED_COLUMNS, type RunQuery } from './run-query.ts';

const VISIBLE = `kind = 'post' and not hidden and created_at > $1`;

// Finds only the first word of each alternative. The texts are compared with all words afterwards.
const FILTER = `($4::text is null or coalesce(prefix, 'none') = $4) and (words @> '{${CROWDED}}'
  or (words @> $3::bigint[] and ($6::bigint[] = '{}' or words && $6)))`;

const COUNT = `case when $4::text is null and $3::bigint[] = '{}' and $6::bigint[] = '{}'
  then (
    select count(*)::integer from (select from entry where ${VISIBLE} limit ${MAX_COUNTED_NEWS}) as later
  ) end`;

// One statement sees one state, so that no post arrives between the latest timestamp and the page.
const toResult = (found: string, newer: string, lastExamined: string): string => `
  select (select last from clock) as latest, ${newer} as newer,
    (select coalesce(json_agg(json_build_object(
      'record', record, 'children', children) order by created_at), '[]')
      from ${found}) as items,
    case when (select count(*) from ${found}) < $5 then (${lastExamined}) end as "examinedTo"`;

const LAST_EXAMINED = `select created_at from entry where ${VISIBLE}
  order by created_at offset $2 - 1 limit 1`;

// The candidates are read one after another, up to the end of the page.
const all = (columns: string): string => `with found as materialized (
    select ${columns}, created_at from (
      select * from entry where ${VISIBLE} order by created_at limit $2) as entry
    where ${FILTER} order by created_at limit $5
  ) ${toResult('found', COUNT, LAST_EXAMINED)},
  '{}'::text[] as "unknownPosts"`;

const oldestOf = (rows: string): string =>
  `(select id, created_at from ${rows} and not hidden and created_at > $1 and id <> all ($7)
    order by created_at limit $2)`;

// Each list has its oldest posts, so the oldest of all are among them.
const answers = (columns: string): string => `with candidate as materialized (
    select id, created_at from unnest($7::text[]) as named(target), lateral (
      ${oldestOf('entry where parent_id = target collate "C" and parent_id is not null')}
      union all ${oldestOf('entry where root_id = target collate "C" and root_id is not null')}
      union all ${oldestOf('mention where mention.target = named.target collate "C"')}) as list
    group by id, created_at order by created_at limit $2
  ), found as materialized (
    select ${columns}, created_at from entry
    where id in (select id from candidate) and ${FILTER} order by created_at limit $5
  ) ${toResult('found', 'null::integer', 'select max(created_at) from candidate having count(*) = $2')},
  (select coalesce(array_agg(named.id order by place), '{}')
    from unnest($7::text[]) with ordinality as named(id, place)
    where not exists (
      select from entry where entry.id = named.id collate "C" and kind = 'post' and not hidden)
  ) as "unknownPosts"`;

const HEAD_COLUMNS = `json_build_object(
    'id', id, 'prefix', prefix, 'rootId', root_id, 'createdAt', created_at) as record,
  children`;

const VIEWS = { name: 'news', all: all(COUNTED_COLUMNS), answers: answers(COUNTED_COLUMNS) };
const HEADS = { name: 'news heads', all: all(HEAD_COLUMNS), answers: answers(HEAD_COLUMNS) };

export async function findNews(
  runQuery: RunQuery,
  filter: NewsFilter,
  { after = '', limit, maxCandidates }: NewsRange,
  form = VIEWS,
): Promise<NewsResult> {
  const { posts, prefix, words = [], any = [] } = filter;
  const storable = posts?.filter(isStorableText);
  const values = [
    after,
    storable === undefined ? maxCandidates : Math.min(maxCandidates, MAX_EXAMINED_NEWS),
    filterHashes({ words }),
    prefix === undefined ? null : (prefix ?? 'none'),
    limit,
    filterHashes({ words: any.flatMap((list) => list.slice(0, 1)) }),
    ...(storable === undefined ? [] : [storable]),
  ];
  const statement = storable === undefined ? 'all' : 'answers';
  const row = await readRow<NewsResult>(runQuery, `${form.name} ${statement}`, form[statement], values);
  const { items, examinedTo, unknownPosts } = row;
  const { matching, compared } = await compareTexts(items, limit, new TextBudget(), words, any);
  const isWhole = compared === items.length && items.length < limit;
  return {
    ...row,
    items: matching,
    examinedTo: isWhole ? examinedTo : endOf(items.slice(0, compared)),
    unknownPosts: [...unknownPosts, ...(posts ?? []).filter((id) => !isStorableText(id))],
  };
}

export async function findNewsOfThreads(
  runQuery: RunQuery,
  filter: NewsFilter,
  range: NewsRange,
): Promise<NewsResult<PostOfThread>> {
  const { words = [], any = [] } = filter;
  const form = words.length > 0 || any.length > 0 ? VIEWS : HEADS;
  const { items, ...result } = await findNews(runQuery, filter, range, form);
  const toHead = ({ id, prefix, rootId, createdAt }: PostOfThread) => ({ id, prefix, rootId, createdAt });
  return { ...result, items: items.map(({ record }) => toHead(record)) };
}
