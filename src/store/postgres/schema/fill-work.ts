import type pg from 'pg';
import type { Post } from '#store/records.ts';
import { workRowOf } from '#store/postgres/work-columns.ts';
import { ADD_WORK, REFRESH_IDEAS, REFRESH_WORK } from '#store/postgres/write/work-statements.ts';

const BATCH_SIZE = 1000;

const NEXT_POSTS = `select id, created_at as at, body as post, hidden from entry
  where (created_at, id) > ($1, $2) and kind = 'post' and prefix in ('IDEA', 'WORK', 'RESULT', 'REVIEW')
  order by created_at, id limit ${BATCH_SIZE}`;

// What instances imported behind the last post that was read.
const MISSED = `select id from entry where kind = 'post' and prefix in ('IDEA', 'WORK', 'RESULT', 'REVIEW')
    and not exists (select from work_post where work_post.id = entry.id)
    and not exists (select from work_link where work_link.id = entry.id)`;

const POSTS = 'select id, created_at as at, body as post, hidden from entry where id = any($1)';

// What instances hid, showed or erased since it was read.
const MODERATED = `select work_post.id from work_post left join entry on entry.id = work_post.id
    where entry.hidden is distinct from work_post.hidden
  union select work_link.id from work_link left join entry on entry.id = work_link.id
    where entry.hidden is distinct from work_link.hidden`;

const SET_HIDDEN = `with given as materialized (
    select given.id, coalesce(entry.hidden, true) as hidden
      from unnest($1::text[]) as given(id) left join entry on entry.id = given.id
  ), links as (
    update work_link set hidden = given.hidden from given where work_link.id = given.id
  )
  update work_post set hidden = given.hidden from given where work_post.id = given.id`;

const DELETE_ERASED = `with erased as materialized (
    select id from unnest($1::text[]) as given(id) where not exists (select from entry where entry.id = given.id)
  ), links as (
    delete from work_link where id in (select id from erased)
  )
  delete from work_post where id in (select id from erased)`;

interface PostRow {
  readonly id: string;
  readonly at: string;
  readonly post: Post;
  readonly hidden: boolean;
}

/**
 * Fills the tables of the lists of work from all posts. Only this program can: due times and names are read by its rules.
 * Instances that are running go on writing until the last batch.
 */
export async function fillWork(client: pg.Client): Promise<void> {
  let last = { at: '', id: '' };
  const refresh = async (ids: readonly string[]): Promise<void> => {
    await client.query(REFRESH_WORK, [ids]);
    await client.query(REFRESH_IDEAS, [ids]);
  };
  const idsIn = async (text: string): Promise<string[]> =>
    (await client.query<{ id: string }>(text)).rows.map(({ id }) => id);
  const add = async (rows: readonly PostRow[]): Promise<void> => {
    const added = rows.map(({ post, hidden }) => workRowOf(post, hidden));
    await client.query(ADD_WORK, [JSON.stringify(added)]);
    await refresh(rows.map(({ id }) => id));
  };
  const fill = async (): Promise<void> => {
    for (let count = BATCH_SIZE; count === BATCH_SIZE; ) {
      const { rows } = await client.query<PostRow>(NEXT_POSTS, [last.at, last.id]);
      await add(rows);
      last = rows.at(-1) ?? last;
      count = rows.length;
    }
  };
  await client.query('analyze work_post, work_link');
  await fill();
  await client.query('select from clock for update');
  await fill();
  const missed = await idsIn(MISSED);
  for (let from = 0; from < missed.length; from += BATCH_SIZE)
    await add((await client.query<PostRow>(POSTS, [missed.slice(from, from + BATCH_SIZE)])).rows);
  const moderated = await idsIn(MODERATED);
  await client.query(SET_HIDDEN, [moderated]);
  await refresh(moderated);
  await client.query(DELETE_ERASED, [moderated]);
  await client.query('analyze work_post, work_link');
}
