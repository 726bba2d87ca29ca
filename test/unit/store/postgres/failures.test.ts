import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { StoreFailure, type Store } from '#store/store.ts';
import { newSchema, openClient, openStore } from '../../../support/postgres/postgres.ts';
import { Proxy } from '../../../support/postgres/proxy.ts';
import { historyOf, textsOf } from '../../../support/store/store-location.ts';
import { addPost, anOrigin } from '../../../support/store/records.ts';

const WITHIN_MS = 5000;

interface Setting {
  readonly proxy: Proxy;
  readonly store: Store;
  /** Reaches the database on its own way. */
  readonly other: Store;
  readonly schema: string;
  /** What `store` reported to the operator. */
  readonly reports: readonly string[];
}

async function settingOf(t: TestContext): Promise<Setting> {
  const schema = newSchema();
  const proxy = await Proxy.open(t);
  const other = await openStore({ schema });
  const reports: string[] = [];
  const store = await openStore({ schema, url: proxy.url, report: (what) => reports.push(what) });
  t.after(() => Promise.all([store.close(), other.close()]));
  return { proxy, store, other, schema, reports };
}

const post = (store: Store, text: string): Promise<unknown> =>
  store.write((writer) => addPost(writer, text, anOrigin('v')));

/** @returns how it failed, in time. */
async function failureOf(doing: Promise<unknown>): Promise<StoreFailure> {
  const start = performance.now();
  const error: unknown = await doing.then(
    () => assert.fail('it went well'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StoreFailure, String(error));
  assert.ok(performance.now() - start < WITHIN_MS, `${performance.now() - start} ms`);
  return error;
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WITHIN_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'it does not recover');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

for (const trouble of ['refuse', 'silence'] as const) {
  test(`a database that is gone (${trouble}) is told within five seconds to who reads and who writes, and comes back by itself`, async (t) => {
    const { proxy, store, reports } = await settingOf(t);
    await post(store, 'before');
    proxy[trouble]();
    const [written, read, history, health] = await Promise.all([
      failureOf(post(store, 'never')),
      failureOf(store.read.totals()),
      failureOf(store.read.history()[Symbol.asyncIterator]().next()),
      store.health(),
    ]);
    assert.deepEqual([written.stored, read.stored, history.stored], ['nothing', 'nothing', 'nothing']);
    assert.equal(health.writable, false);
    assert.doesNotMatch([written.message, health.reason].join(), /postgres:|127\.0\.0\.1/);
    proxy.mend();
    await eventually(async () => (await store.health()).writable);
    await post(store, 'after');
    assert.deepEqual(await textsOf(store), ['before', 'after']);
    assert.equal(reports.filter((what) => what === 'writes are accepted again').length, 1);
  });
}

test('a write whose commit never arrived is made again, once', async (t) => {
  const { proxy, store, other } = await settingOf(t);
  proxy.cutAtCommit = 'before';
  await post(store, 'once');
  assert.equal(proxy.cutAtCommit, undefined);
  assert.deepEqual(await textsOf(other), ['once']);
  assert.deepEqual(await textsOf(store), ['once']);
});

test('a write whose commit stands though its answer was lost is acknowledged and not made again', async (t) => {
  const { proxy, store, other } = await settingOf(t);
  proxy.cutAtCommit = 'after';
  const works = ['1', '2', '3'].map((text) => post(store, text));
  await Promise.all(works);
  assert.equal(proxy.cutAtCommit, undefined);
  assert.deepEqual(await textsOf(other), ['1', '2', '3']);
  proxy.cutAtCommit = 'after';
  assert.equal(await store.write((writer) => writer.setFrozen('freeze')), true);
  assert.equal(await other.read.frozen(), true);
});

test('a commit whose answer was lost with the database is told to be unknown', async (t) => {
  const { proxy, store, other } = await settingOf(t);
  await post(store, 'before');
  proxy.cutAtCommit = 'after';
  const written = failureOf(post(store, 'perhaps'));
  while ((proxy.cutAtCommit as string | undefined) !== undefined)
    await new Promise((resolve) => setImmediate(resolve));
  proxy.refuse();
  assert.equal((await written).stored, 'unknown');
  assert.deepEqual(await textsOf(other), ['before', 'perhaps']);
});

test('a backend killed in the middle of a write loses nothing and keeps nothing twice', async (t) => {
  const { store, schema } = await settingOf(t);
  const client = await openClient(t, schema);
  let runs = 0;
  await store.write(async (writer) => {
    runs += 1;
    await addPost(writer, 'once');
    if (runs > 1) return;
    await client.query(
      `select pg_terminate_backend(l.pid) from pg_locks l where l.relation = 'clock'::regclass and l.mode = 'RowShareLock'`,
    );
  });
  assert.equal(runs, 2);
  assert.deepEqual(await textsOf(store), ['once']);
  const writing = Array.from({ length: 200 }, (_, number) => post(store, String(number)));
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    schema,
  ]);
  await Promise.all(writing);
  assert.equal(new Set(await textsOf(store)).size, 201);
  assert.equal((await store.read.totals()).posts, 201);
});

test('readers hear nothing of it when all their connections are lost at once', async (t) => {
  const { store, schema } = await settingOf(t);
  const client = await openClient(t, schema);
  const readMany = (): Promise<unknown> => Promise.all(Array.from({ length: 20 }, () => store.read.totals()));
  const kill = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1';
  for (let round = 0; round < 20; round++) {
    await readMany();
    await Promise.all([client.query(kill, [schema]), readMany()]);
  }
});

test('a connection lost while a work waits for its turn fails nothing but the questions it had asked ahead', async (t) => {
  const { store, schema } = await settingOf(t);
  await post(store, 'before');
  const client = await openClient(t, schema);
  await client.query('begin; select from clock for update');
  const trace = anOrigin('v', { key: 'key-00001' });
  const writing = store.write(async (writer) => {
    if ((await writer.idempotentHit('post', trace, 1000)) === undefined) await addPost(writer, 'once', trace);
  });
  const kill =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
  await eventually(async () => (await client.query(kill, [schema])).rowCount === 1);
  await client.query('rollback');
  await writing;
  assert.deepEqual(await textsOf(store), ['before', 'once']);
});

test('an instance that stops while it writes holds up the others for a few seconds only', async (t) => {
  const { proxy, store, other } = await settingOf(t);
  await post(store, 'before');
  let silenced = (): void => undefined;
  const holds = new Promise<void>((resolve) => (silenced = resolve));
  const stopped = failureOf(
    store.write(async (writer) => {
      await writer.frozen();
      proxy.silence();
      silenced();
      await addPost(writer, 'never');
    }),
  );
  await holds;
  const start = performance.now();
  await post(other, 'beside');
  assert.ok(performance.now() - start < 3000);
  assert.ok(['nothing', 'unknown'].includes((await stopped).stored));
  assert.deepEqual(await textsOf(other), ['before', 'beside']);
});

test('a work that the database refuses does no harm to those beside it', async (t) => {
  const { store } = await settingOf(t);
  const [first, refused, last] = await Promise.allSettled([
    post(store, '1'),
    store.write((writer) => writer.append('post', { ...NAUGHT, message: 'x' })),
    post(store, '3'),
  ]);
  assert.deepEqual([first.status, refused.status, last.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.deepEqual(await textsOf(store), ['1', '3']);
});

/** PostgreSQL keeps no U+0000. */
const NAUGHT = { id: 'post_\0', message: '', prefix: null, parentId: null, rootId: 'post_\0', answers: [] };

test('a store closes in time though its database is silent', async (t) => {
  const { proxy, store } = await settingOf(t);
  await post(store, 'x');
  proxy.silence();
  const start = performance.now();
  await store.close();
  assert.ok(performance.now() - start < WITHIN_MS);
});

test('a history whose connection is lost between two pages fails and does no other harm', async (t) => {
  const { store, schema } = await settingOf(t);
  await store.write(async (writer) => {
    for (let n = 0; n < 600; n++) await addPost(writer, `${n}`);
  });
  const client = await openClient(t, schema);
  const history = store.read.history()[Symbol.asyncIterator]();
  await history.next();
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
    schema,
  ]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await assert.rejects(
    (async () => {
      while ((await history.next()).done !== true);
    })(),
    StoreFailure,
  );
  await post(store, 'goes on');
});

test('hundreds of entries are brought into a database that is far away', async (t) => {
  const { proxy, other } = await settingOf(t);
  await other.write(async (writer) => {
    for (let n = 0; n < 500; n++) await addPost(writer, `${n}`);
  });
  const entries = await historyOf(other);
  const there = await openStore({ schema: newSchema(), url: proxy.url });
  t.after(() => there.close());
  proxy.delay = 10;
  assert.deepEqual(
    await there.write((writer) => writer.restore(entries)),
    entries.map(() => 'stored'),
  );
  assert.equal((await there.read.totals()).posts, 500);
  proxy.delay = 0;
});
