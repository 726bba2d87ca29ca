import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type pg from 'pg';
import { TIMEOUTS } from '#store/postgres/connection/connect.ts';
import type { PostgresStoreOptions } from '#store/postgres/postgres-store.ts';
import { testClock } from '../../../../support/clock.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import { newDatabase, openClient, openNewStore, openStore } from '../../../../support/postgres/postgres.ts';
import { anOrigin } from '../../../../support/store/records.ts';
import {
  addPost,
  idempotentHit,
  recentDuplicate,
  recentWriteAges,
} from '../../../../support/store/writes.ts';
import { thoroughTest } from '../../../../support/thorough.ts';

const [NEW, OLD] = [randomBytes(32), randomBytes(32)];
const DAY_MS = 24 * 3_600_000;

/** @returns the tables that hold a text in any row */
async function tablesWith(client: pg.Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select tablename as name from pg_tables where schemaname = current_schema()',
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const dump = `select from ${name} as entry where position($1 in entry::text) > 0 limit 1`;
    if ((await client.query(dump, [text])).rowCount !== 0) found.push(name);
  }
  return found;
}

/** @returns whether the write-ahead log holds a text */
async function isInWal(client: pg.Client, text: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from pg_ls_waldir() where name ~ '^[0-9A-F]{24}$'
       and position($1::bytea in pg_read_binary_file('pg_wal/' || name)) > 0 limit 1`,
    [Buffer.from(text)],
  );
  return rowCount !== 0;
}

test('neither a table nor the write-ahead log holds the address, idempotency key or content hash of a write', async (t) => {
  const { url, store } = await openNewStore(t, { visitorSecrets: [NEW] });
  const client = await openClient(t, url);
  const unique = randomBytes(12).toString('hex');
  const origin = anOrigin(`2001:db8:${unique}::/64`, { key: `key-${unique}`, content: `content-${unique}` });
  // The header of a page of the log may part one text, but not all three.
  for (const number of [1, 2, 3])
    await addPost(store, `message ${unique} ${number}`, { ...origin, key: `key-${unique}-${number}` });
  const first = { ...origin, key: `key-${unique}-1` };
  assert.equal((await idempotentHit(store, 'post', first, DAY_MS))?.sameContent, true);

  assert.deepEqual(await tablesWith(client, `message ${unique}`), ['entry']);
  assert.equal(await isInWal(client, `message ${unique}`), true);
  for (const secret of [origin.clientKey, `key-${unique}`, origin.content]) {
    assert.deepEqual(await tablesWith(client, secret), [], secret);
    assert.equal(await isInWal(client, secret), false, secret);
  }
});

test('limits, keys and duplicates hold over midnight and while the secret is rotated', async (t) => {
  const url = await newDatabase(t);
  const clock = testClock('2026-11-21T23:59:00.000Z');
  const open = async (options: Partial<PostgresStoreOptions>) => {
    const store = await openStore({ url, clock, ...options });
    t.after(() => store.close());
    return store;
  };
  const origin = anOrigin('v', { key: 'key-00001', content: 'a' });
  const { record } = await addPost(await open({ visitorSecrets: [OLD] }), 'x', origin);
  clock.set('2026-11-22T00:01:00.000Z');
  const rotating = await open({ visitorSecrets: [NEW, OLD] });
  const { record: second } = await addPost(rotating, 'x', { ...origin, key: 'key-00002' });
  clock.advance(1000);
  const ages = [1000, 121_000];
  assert.deepEqual(await rotating.read.recentWriteAges('v', 'feed', DAY_MS, 9), ages);
  assert.deepEqual(await rotating.read.recentWriteAges('v', 'feed', DAY_MS, 1), [1000]);
  assert.deepEqual(await recentWriteAges(rotating, { clientKey: 'v', limitScope: 'feed' }, DAY_MS, 9), ages);
  assert.deepEqual(await idempotentHit(rotating, 'post', origin, DAY_MS), {
    id: record.id,
    sameContent: true,
  });
  assert.deepEqual(await idempotentHit(rotating, 'post', { ...origin, content: 'b' }, DAY_MS), {
    id: record.id,
    sameContent: false,
  });
  assert.equal(await recentDuplicate(rotating, 'post', origin, DAY_MS), second.id);

  const rotated = await open({ visitorSecrets: [NEW] });
  assert.deepEqual(await rotated.read.recentWriteAges('v', 'feed', DAY_MS, 9), [1000]);
  assert.equal(await idempotentHit(rotated, 'post', origin, DAY_MS), undefined);
});

test('instances without a secret share one that the database holds', async (t) => {
  const url = await newDatabase(t);
  const [one, other] = [await openStore({ url }), await openStore({ url })];
  t.after(() => Promise.all([one.close(), other.close()]));
  await addPost(one, 'x', anOrigin('v'));
  assert.equal((await other.read.recentWriteAges('v', 'feed', DAY_MS, 9)).length, 1);
  const client = await openClient(t, url);
  const { rows } = await client.query<{ secret: string }>('select secret from visitor_secret');
  const lengths = rows.map(({ secret }) => Buffer.from(secret, 'base64').length);
  assert.deepEqual(lengths, [32]);
});

/** @returns the values of each column that the planner has statistics of, by table and column */
async function statisticsOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ column: string; values: string }>(
    `select relname || '.' || attname as column,
        concat_ws(' ', stavalues1, stavalues2, stavalues3, stavalues4, stavalues5) as values
      from pg_statistic join pg_class on pg_class.oid = starelid
        join pg_attribute on attrelid = starelid and attnum = staattnum
      where relnamespace = current_schema()::regnamespace`,
  );
  return new Map(rows.map(({ column, values }) => [column, values]));
}

test('the statistics of the planner hold nothing of who wrote what, also after the rows are deleted', async (t) => {
  const url = await newDatabase(t);
  const clock = testClock('2026-11-21T10:00:00.000Z');
  const store = await openStore({ url, clock });
  t.after(() => store.close());
  const client = await openClient(t, url);
  for (let n = 0; n < 60; n++)
    await addPost(store, `text ${n}`, anOrigin(`v${n % 20}`, { key: `key-${n}`, content: `text ${n}` }));
  const { rows } = await client.query<{ tags: string[] }>(
    `select array_agg(distinct tag) as tags from write_history, unnest(array[client, network, key, content]) as tag
      union all select array[secret] from visitor_secret`,
  );
  const tags = rows.flatMap((row) => row.tags);
  assert.equal(tags.length, 20 + 20 + 60 + 60 + 1);
  const { rows: tables } = await client.query<{ names: string }>(
    "select string_agg(tablename, ', ') as names from pg_tables where schemaname = current_schema()",
  );
  const analyze = `analyze ${tables[0]!.names}`;

  await client.query(analyze);
  const statistics = await statisticsOf(client);
  assert.match(statistics.get('entry.created_at') ?? '', /2026-11-21T10:/);
  for (const [column, values] of statistics)
    for (const tag of tags) assert.ok(!values.includes(tag), `${column} holds ${tag}`);

  clock.advance(DAY_MS);
  await store.forgetClients();
  assert.equal((await client.query('select from write_history')).rowCount, 0);
  await client.query(analyze);
  const left = [...(await statisticsOf(client)).keys()];
  const ofWrites = left.filter((column) => column.startsWith('write_history.'));
  assert.deepEqual(ofWrites, []);
});

test('a folder has a secret for each day, and loses those of two days ago', async (t) => {
  const url = await newDatabase(t);
  const clock = testClock('2026-11-21T12:00:00.000Z');
  const folder = join(await temporaryFolder(t), 'secrets');
  const open = async () => {
    const store = await openStore({ url, clock, visitorSecretFolder: folder });
    t.after(() => store.close());
    return store;
  };
  const store = await open();
  const origin = anOrigin('v', { key: 'key-00001', content: 'a' });
  const { record } = await addPost(store, 'x', origin);
  assert.deepEqual(readdirSync(folder), ['2026-11-21']);
  const { mode, size } = statSync(join(folder, '2026-11-21'));
  assert.deepEqual([mode & 0o777, size], [0o600, 32]);

  clock.set('2026-11-22T11:59:00.000Z');
  const later = await open();
  assert.equal((await idempotentHit(later, 'post', origin, DAY_MS))?.id, record.id);
  assert.deepEqual(await later.read.recentWriteAges('v', 'feed', DAY_MS, 9), [DAY_MS - 60_000]);
  await addPost(store, 'y', origin);
  writeFileSync(join(folder, 'notes'), 'of the operator');
  clock.set('2026-11-23T00:02:00.000Z');
  await addPost(later, 'z', origin);
  await later.forgetClients();
  assert.deepEqual(readdirSync(folder).sort(), ['2026-11-22', '2026-11-23', 'notes']);

  const client = await openClient(t, url);
  const { rows } = await client.query<{ day: string }>('select day from secret_fingerprint order by day');
  const left = rows.map(({ day }) => day);
  assert.deepEqual(left, ['2026-11-22', '2026-11-23']);
});

thoroughTest('a write is refused with the reason if the folder of the secrets cannot be used', async (t) => {
  const folder = await temporaryFolder(t);
  const clock = testClock('2026-11-21T12:00:00.000Z');
  const { store } = await openNewStore(t, { clock, visitorSecretFolder: folder });
  writeFileSync(join(folder, '2026-11-21'), 'too short');
  await assert.rejects(addPost(store, 'x', anOrigin('v')), /the file 2026-11-21 does not have 32 bytes/);
  rmSync(join(folder, '2026-11-21'));
  await addPost(store, 'x', anOrigin('v'));
  const store2 = await openStore({
    url: await newDatabase(t),
    clock,
    visitorSecretFolder: '/dev/null',
    timeouts: TIMEOUTS,
  });
  t.after(() => store2.close());
  await assert.rejects(addPost(store2, 'x', anOrigin('v')), /VISITOR_SECRET_DIR cannot be used: ENOTDIR/);
});
