import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillWork } from '#store/postgres/schema/fill-work.ts';
import { StoreFailure, WORK_LISTS, type Post, type Store } from '#store/store.ts';
import { newDatabase, openClient, openStore } from '../../../../support/postgres/postgres.ts';
import { aPost, aReply, newId } from '../../../../support/store/records.ts';
import { addPosts, erase, hide, unhide } from '../../../../support/store/writes.ts';

test('a schema that a newer program has changed is refused by the name of its migration', async (t) => {
  const url = await newDatabase(t);
  await (await openStore({ url })).close();
  const client = await openClient(t, url);
  await client.query("insert into migration (name) values ('9000-renamed-columns')");
  await assert.rejects(
    openStore({ url }),
    (error) => error instanceof StoreFailure && /newer version.*9000-renamed-columns/.test(error.message),
  );
});

test('a newer schema that is marked as compatible opens', async (t) => {
  const url = await newDatabase(t);
  await (await openStore({ url })).close();
  const client = await openClient(t, url);
  await client.query("insert into migration (name, compatible) values ('9000-new-index', true)");
  await (await openStore({ url })).close();
});

test('a schema of a program that did not mark compatible migrations opens', async (t) => {
  const url = await newDatabase(t);
  await (await openStore({ url })).close();
  const client = await openClient(t, url);
  await client.query('alter table migration drop compatible');
  await (await openStore({ url })).close();
});

test('moderations of a schema without arrival numbers keep their order, and an older program may still add some', async (t) => {
  const url = await newDatabase(t);
  await (await openStore({ url })).close();
  const client = await openClient(t, url);
  await client.query(`drop index moderation_deciding; alter table moderation drop constraint moderation_pkey;
    alter table moderation drop arrival; alter table moderation add primary key (at);
    delete from migration where name = '0003-moderation-arrival'`);
  const insert = (at: string): Promise<unknown> =>
    client.query("insert into moderation (at, action, id, reason) values ($1, 'hide', 'post_a', 'x')", [at]);
  for (const day of [2, 1]) await insert(`2020-01-0${day}T00:00:00.000000Z`);
  const store = await openStore({ url });
  t.after(() => store.close());
  await insert('2020-01-03T00:00:00.000000Z');
  const entries = await store.read.moderations(9);
  assert.deepEqual(
    entries.map(({ at }) => at.slice(0, 10)),
    ['2020-01-03', '2020-01-02', '2020-01-01'],
  );
});

test('a store of a version without threads and references gets them from its records', async (t) => {
  const url = await newDatabase(t);
  const first = await openStore({ url });
  const ids = Array.from({ length: 12 }, () => newId('post'));
  const top = aPost('RESULT: first');
  const own = newId('post');
  const posts = [
    top,
    aReply(top.id, `RESULT: second, of ${top.id} and ${ids.join('')}`),
    aPost(`RESULT: names ${own}, ${ids[0]!}, ${ids[0]!.toUpperCase()} and ${top.id}`, { id: own }),
    aPost(`names ${ids.join(' ')}`),
    aReply(top.id, `\n${ids[1]!}x post_ post_019c9a31 ${ids[2]!.slice(0, -1)}g é🏡${ids[3]!}`),
  ];
  await addPosts(first, posts);
  const hidden = aReply(top.id, `hidden ${ids[0]!}`);
  await addPosts(first, [hidden]);
  await hide(first, hidden.id);
  const all = [top, ...posts, hidden].map(({ id }) => id).concat(ids);
  const lineageOf = async (store: Store): Promise<unknown> => {
    const takers = await Promise.all(all.map((id) => store.read.takersOf(id, 20)));
    const page = await store.read.page('post', { order: 'newest', limit: 99 });
    const thread = await store.read.page('post', { order: 'oldest', thread: top.id, limit: 99 });
    return [takers, page, thread, await store.read.threadSize(top.id)];
  };
  const expected = await lineageOf(first);
  await first.close();
  const client = await openClient(t, url);
  const rows = async (): Promise<unknown> =>
    (await client.query('select * from mention order by id, target')).rows;
  const mentions = await rows();
  await client.query(`drop table mention; drop table thread; drop index entry_later_result;
    alter table entry drop root_id; delete from migration where name = '0005-threads'`);
  const store = await openStore({ url });
  t.after(() => store.close());
  assert.deepEqual(await rows(), mentions);
  assert.deepEqual(await lineageOf(store), expected);
  await unhide(store, hidden.id);
  assert.equal((await store.read.takersOf(ids[0]!, 20)).length, 4);
  await erase(store, hidden.id);
  const left = await client.query('select from mention where id = $1', [hidden.id]);
  assert.equal(left.rowCount, 0);
});

test('a store of a version without lists of work gets them from its posts', async (t) => {
  const url = await newDatabase(t);
  const first = await openStore({ url });
  const now = Date.now();
  const ideas = Array.from({ length: 1100 }, (_, n) => aPost(`IDEA: ${n}`, { name: `n${n}` }));
  const [worked, done, reviewed] = ideas as Post[] as [Post, Post, Post];
  const result = aReply(reviewed.id, 'RESULT: x');
  const hidden = aPost(`REVIEW: of ${result.id}`);
  await addPosts(first, [
    ...ideas,
    aReply(worked.id, 'WORK: x\nNext update by: 2020-01-01', { name: 'A b' }),
    aReply(done.id, 'WORK: y', { name: 'A b' }),
    aReply(done.id, 'RESULT: y', { name: 'ａB' }),
    result,
    hidden,
    aPost('plain'),
  ]);
  await hide(first, hidden.id);
  const workOf = async (store: Store): Promise<unknown> => [
    await store.read.workCounts(now),
    await store.read.standings([worked.id, done.id, result.id], now),
    await Promise.all(
      WORK_LISTS.map((list) =>
        store.read.work(list, { order: 'newest', limit: 2000, maxCandidates: 0 }, now),
      ),
    ),
  ];
  const expected = await workOf(first);
  await first.close();
  const client = await openClient(t, url);
  const rows = async (): Promise<unknown[]> => [
    (await client.query('select * from work_post order by id')).rows,
    (await client.query('select * from work_link order by id, target')).rows,
  ];
  const before = await rows();
  await client.query(
    "drop table work_post; drop table work_link; delete from migration where name = '0007-work'",
  );
  const store = await openStore({ url });
  t.after(() => store.close());
  assert.deepEqual(await rows(), before);
  assert.deepEqual(await workOf(store), expected);
});

test('the lists of work hold what other instances import and erase while they are filled', async (t) => {
  const url = await newDatabase(t);
  const store = await openStore({ url });
  t.after(() => store.close());
  const [idea, open] = [aPost('IDEA: x'), aPost('IDEA: y')];
  const [result, erased] = [aReply(idea.id, 'RESULT: x'), aReply(open.id, 'RESULT: y')];
  await addPosts(store, [idea, open, result, erased, aPost(`REVIEW: of ${result.id}`)]);
  const client = await openClient(t, url);
  const rows = async (): Promise<unknown[]> => [
    (await client.query('select * from work_post order by id')).rows,
    (await client.query('select * from work_link order by id, target')).rows,
  ];
  // Not seen by the first reads.
  await client.query('update entry set prefix = null where id = $1', [result.id]);
  await client.query('truncate work_post, work_link');
  const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<unknown>;
  const filling = {
    async query(text: string, values?: unknown[]): Promise<unknown> {
      if (text.includes('for update')) {
        await query("update entry set prefix = 'RESULT' where id = $1", [result.id]);
        await query('delete from entry where id = $1', [erased.id]);
      }
      return query(text, values);
    },
  };
  await fillWork(filling as unknown as Parameters<typeof fillWork>[0]);
  const filled = await rows();
  await client.query('truncate work_post, work_link');
  await fillWork(client);
  assert.deepEqual(filled, await rows());
  const { counts } = await store.read.workCounts(Date.now());
  assert.deepEqual(counts, { ideas: 1, working: 0, overdue: 0, unreviewed: 0 });
});

test('a store of a version that counted answers in a column loses the column without a new table file', async (t) => {
  const url = await newDatabase(t);
  const first = await openStore({ url });
  const idea = aPost('IDEA: x');
  await addPosts(first, [idea, aReply(idea.id, 'WORK: x')]);
  await first.close();
  const client = await openClient(t, url);
  await client.query(`alter table entry add answered integer not null default 0;
    create index entry_waiting on entry (prefix, created_at)
      where not hidden and answered = 0 and prefix in ('IDEA', 'RESULT');
    create index entry_answering on entry using gin (((body -> 'answers')::jsonb))
      where not hidden and prefix in ('WORK', 'REVIEW');
    delete from migration where name = '0008-no-answered'`);
  const fileOf = async (): Promise<unknown> =>
    (await client.query("select pg_relation_filenode('entry') as file")).rows;
  const before = await fileOf();
  const store = await openStore({ url });
  t.after(() => store.close());
  assert.deepEqual(await fileOf(), before);
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = 'entry'::regclass and attname = 'answered'
      union all select relname from pg_class where relname in ('entry_waiting', 'entry_answering')
        and relnamespace = current_schema()::regnamespace`,
  );
  assert.deepEqual(rows, []);
  assert.equal((await store.read.find('post', idea.id))?.children, 1);
});
