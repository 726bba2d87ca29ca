import type { PostHead, Related, RelatedQuery } from '#store/port/pages.ts';
import type { Post, CountedRecord } from '#store/port/records.ts';
import { isStorableText } from '#store/postgres/connection/errors.ts';
import { readRow, COUNTED_COLUMNS, type RunQuery } from './run-query.ts';

const LISTS: Readonly<Record<keyof Related, string>> = {
  posts: `select ${COUNTED_COLUMNS} from entry where id = any($1) and kind = 'post' and not hidden`,
  heads: `select id, prefix, body ->> 'name' as name, root_id as "rootId" from entry
    where id = any($2) and kind = 'post' and not hidden`,
  known: `select id from entry where id = any($3)
    union select id from moderation where id = any($3) and action = 'erase'
    union select id from moderation where id = any($3) and action <> 'erase'`,
  // Two indexes, of the visible and of the hidden posts of threads.
  numbers: `with asked as materialized (
      select distinct root_id from entry where id = any($4) and root_id is not null),
    thread as (
      select id, root_id, created_at from entry where root_id in (select root_id from asked)
        and root_id is not null and not hidden
      union all
      select id, root_id, created_at from entry where root_id in (select root_id from asked)
        and root_id is not null and hidden)
    select id, number from (
      select id, rank() over (partition by root_id order by created_at)::integer as number from thread
    ) as numbered where id = any($4)`,
  sizes: `select asked.id, coalesce((select replies from thread where root_id = asked.id), 0)
      + (select count(*)::integer from entry where entry.id = asked.id and root_id = entry.id and not hidden) as size
    from unnest($5::text[]) as asked(id)`,
};
const NAMES = Object.keys(LISTS) as (keyof Related)[];

const RELATED = `select ${NAMES.map(
  (name) => `(select coalesce(json_agg(one), '[]') from (${LISTS[name]}) as one) as ${name}`,
).join(', ')}`;

type WithId<Facts> = readonly (Facts & { readonly id: string })[];

interface RelatedRow {
  readonly posts: readonly CountedRecord<'post'>[];
  readonly heads: WithId<Pick<PostHead, 'prefix' | 'name'> & Pick<Post, 'rootId'>>;
  readonly known: WithId<unknown>;
  readonly numbers: WithId<{ readonly number: number }>;
  readonly sizes: WithId<{ readonly size: number }>;
}

export async function readRelated(runQuery: RunQuery, query: RelatedQuery): Promise<Related> {
  const values = NAMES.map((name) => [...new Set(query[name])].filter(isStorableText));
  const row = await readRow<RelatedRow>(runQuery, 'related', RELATED, values);
  const { posts, heads, known, numbers, sizes } = row;
  const sizeOf = new Map(sizes.map(({ id, size }) => [id, size]));
  return {
    posts: new Map(posts.map((post) => [post.record.id, post])),
    heads: new Map(heads.map(({ id, ...head }) => [id, head])),
    known: new Set(known.map(({ id }) => id)),
    numbers: new Map(numbers.map(({ id, number }) => [id, number])),
    sizes: new Map(query.sizes?.map((id) => [id, sizeOf.get(id) ?? 0])),
  };
}
