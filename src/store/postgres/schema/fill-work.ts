import type pg from 'pg';
import type { Post } from '#store/records.ts';
import { workRowOf } from '#store/postgres/work-columns.ts';
import { ADD_WORK, REFRESH_IDEAS, REFRESH_WORK } from '#store/postgres/write/work-statements.ts';

const BATCH_SIZE = 1000;

const NEXT_POSTS = `select id, created_at as at, body as post, hidden from entry
  where (created_at, id) > ($1, $2) and kind = 'post' and prefix in ('IDEA', 'WORK', 'RESULT', 'REVIEW')
  order by created_at, id limit ${BATCH_SIZE}`;

// Only posts that an instance hid or showed since they were read.
const MODERATED = `select entry.id from entry join work_post on work_post.id = entry.id
  where entry.hidden <> work_post.hidden
  union select entry.id from entry join work_link on work_link.id = entry.id where entry.hidden <> work_link.hidden`;

const SET_HIDDEN = `with links as (
    update work_link set hidden = entry.hidden from entry where entry.id = any($1) and work_link.id = entry.id
  )
  update work_post set hidden = entry.hidden from entry where entry.id = any($1) and work_post.id = entry.id`;

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
  const fill = async (): Promise<void> => {
    for (let count = BATCH_SIZE; count === BATCH_SIZE; ) {
      const { rows } = await client.query<{ id: string; at: string; post: Post; hidden: boolean }>(
        NEXT_POSTS,
        [last.at, last.id],
      );
      const added = rows.map(({ post, hidden }) => workRowOf(post, hidden));
      await client.query(ADD_WORK, [JSON.stringify(added)]);
      await refresh(rows.map(({ id }) => id));
      last = rows.at(-1) ?? last;
      count = rows.length;
    }
  };
  await client.query('analyze work_post, work_link');
  await fill();
  await client.query('select from clock for update');
  await fill();
  const { rows } = await client.query<{ id: string }>(MODERATED);
  const moderated = rows.map(({ id }) => id);
  await client.query(SET_HIDDEN, [moderated]);
  await refresh(moderated);
  await client.query('analyze work_post, work_link');
}
