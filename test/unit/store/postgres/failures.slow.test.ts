import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { TIMEOUTS } from '#store/postgres/connection/connect.ts';
import { StoreFailure, type Store } from '#store/port/store.ts';
import { endConnections, newDatabase, openClient, openStore } from '../../../support/postgres/postgres.ts';
import { Proxy } from '../../../support/proxy.ts';
import { textsOf } from '../../../support/store/store-location.ts';
import { anOrigin, aPost } from '../../../support/store/records.ts';
import { addPost, addPosts, addRecord, freeze, lookupsOf } from '../../../support/store/writes.ts';
import { waitUntil } from '../../../support/wait-until.ts';

/** By its timeouts a store takes five seconds; a busy machine adds to that. */
const MAX_WAIT_MS = 10_000;

interface Setting {
  readonly proxy: Proxy;
  readonly store: Store;
  /** Connects to the database directly, without the proxy. */
  readonly other: Store;
  /** The address without the proxy. */
  readonly url: string;
  /** Messages that `store` reported to the operator. */
  readonly reports: readonly string[];
}

async function settingOf(t: TestContext): Promise<Setting> {
  const url = await newDatabase(t);
  const proxy = await Proxy.open(t, url);
  const other = await openStore({ url, timeouts: TIMEOUTS });
  const reports: string[] = [];
  const store = await openStore({
    url: proxy.url,
    report: (what) => reports.push(what),
    timeouts: TIMEOUTS,
  });
  t.after(() => Promise.all([store.close(), other.close()]));
  return { proxy, store, other, url, reports };
}

const post = (store: Store, text: string): Promise<unknown> => addPost(store, text, anOrigin('v'));

/** @returns the StoreFailure, which must arrive within MAX_WAIT_MS */
async function failureOf(operation: Promise<unknown>): Promise<StoreFailure> {
  const start = performance.now();
  const error: unknown = await operation.then(
    () => assert.fail('the operation succeeded'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof StoreFailure, String(error));
  assert.ok(performance.now() - start < MAX_WAIT_MS, `${performance.now() - start} ms`);
  return error;
}

const closingOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => void socket.once('close', () => resolve()));

const newPosts = (count: number) => Array.from({ length: count }, (_, n) => aPost(`${n}`));

// Each waits for a timeout of the store, in a database of its own.
describe('without a response of the database', { concurrency: true }, () => {
  for (const outage of ['refuse', 'silence'] as const) {
    test(`while the database is unreachable (${outage}) reads and writes fail in time, and later ones succeed`, async (t) => {
      const { proxy, store, reports } = await settingOf(t);
      await post(store, 'before');
      proxy[outage]();
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
      await waitUntil(async () => (await store.health()).writable);
      await post(store, 'after');
      assert.deepEqual(await textsOf(store), ['before', 'after']);
      assert.equal(reports.filter((what) => what === 'writes are accepted again').length, 1);
    });
  }

  test('a commit whose response was lost has an unknown outcome if the database becomes unreachable', async (t) => {
    const { proxy, store, other } = await settingOf(t);
    await post(store, 'before');
    proxy.cutAtCommit = 'after';
    const written = failureOf(post(store, 'perhaps'));
    await waitUntil(() => proxy.cutAtCommit === undefined);
    proxy.refuse();
    assert.equal((await written).stored, 'unknown');
    assert.deepEqual(await textsOf(other), ['before', 'perhaps']);
  });

  test('an instance that stalls during a write keeps no other from writing', async (t) => {
    const { proxy, store, other } = await settingOf(t);
    await post(store, 'before');
    let stall = (): void => undefined;
    const stalled = new Promise<void>((resolve) => (stall = resolve));
    const record = aPost('never');
    const stopped = failureOf(
      store.write(lookupsOf(record), ({ timestamp: createdAt }) => {
        proxy.silence();
        stall();
        return { result: null, operation: { action: 'add', kind: 'post', record: { ...record, createdAt } } };
      }),
    );
    await stalled;
    await post(other, 'beside');
    assert.ok(['nothing', 'unknown'].includes((await stopped).stored));
    assert.deepEqual(await textsOf(other), ['before', 'beside']);
  });
});

test('a write whose COMMIT did not reach the database is retried, and stored once', async (t) => {
  const { proxy, store, other } = await settingOf(t);
  proxy.cutAtCommit = 'before';
  const record = aPost('once');
  let runs = 0;
  await store.write(lookupsOf(record), ({ timestamp: createdAt }) => {
    runs += 1;
    return { result: null, operation: { action: 'add', kind: 'post', record: { ...record, createdAt } } };
  });
  assert.equal(proxy.cutAtCommit, undefined);
  assert.equal(runs, 2);
  assert.deepEqual(await textsOf(other), ['once']);
  assert.deepEqual(await textsOf(store), ['once']);
});

test('a committed write whose response was lost is acknowledged and not retried', async (t) => {
  const { proxy, store, other } = await settingOf(t);
  proxy.cutAtCommit = 'after';
  const writes = ['1', '2', '3'].map((text) => post(store, text));
  await Promise.all(writes);
  assert.equal(proxy.cutAtCommit, undefined);
  assert.deepEqual(await textsOf(other), ['1', '2', '3']);
  proxy.cutAtCommit = 'after';
  assert.equal(await freeze(store), true);
  assert.equal(await other.read.frozen(), true);
});

test('reads succeed when all pooled connections are lost at the same time', async (t) => {
  const { store, url } = await settingOf(t);
  const client = await openClient(t, url);
  const readMany = (): Promise<unknown> => Promise.all(Array.from({ length: 20 }, () => store.read.totals()));
  for (let round = 0; round < 20; round++) {
    await readMany();
    await Promise.all([endConnections(client), readMany()]);
  }
});

test('a write succeeds if its connection is lost while it waits for the lock', async (t) => {
  const { store, url } = await settingOf(t);
  await post(store, 'before');
  const client = await openClient(t, url);
  await client.query('begin; select from clock for update');
  const trace = anOrigin('v', { key: 'key-00001' });
  const writing = addPost(store, 'once', trace);
  await waitUntil(async () => (await endConnections(client, "wait_event_type = 'Lock'")) === 1);
  await client.query('rollback');
  await writing;
  assert.deepEqual(await textsOf(store), ['before', 'once']);
});

test('a write that the database rejects does not fail the others of its batch', async (t) => {
  const { store } = await settingOf(t);
  const [first, refused, last] = await Promise.allSettled([
    post(store, '1'),
    addRecord(store, 'post', { ...WITH_NUL, message: 'x' }),
    post(store, '3'),
  ]);
  assert.deepEqual([first.status, refused.status, last.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.deepEqual(await textsOf(store), ['1', '3']);
});

/** PostgreSQL rejects U+0000. */
const WITH_NUL = { id: 'post_\0', message: '', prefix: null, parentId: null, rootId: 'post_\0' };

test('close settles in time although the database does not respond', async (t) => {
  const { proxy, store } = await settingOf(t);
  await post(store, 'x');
  proxy.silence();
  const start = performance.now();
  await store.close();
  assert.ok(performance.now() - start < MAX_WAIT_MS);
});

test('history() rejects if its connection is lost between two pages, and later writes succeed', async (t) => {
  const sockets: Socket[] = [];
  const keep = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', keep);
  t.after(() => unsubscribe('net.client.socket', keep));
  const { store, url } = await settingOf(t);
  await addPosts(store, newPosts(600));
  const history = store.read.history()[Symbol.asyncIterator]();
  await history.next();
  // Once its sockets have closed, the store knows of it.
  const lost = sockets.filter(({ closed }) => !closed).map(closingOf);
  assert.ok(lost.length > 0);
  const client = await openClient(t, url);
  await endConnections(client);
  await Promise.all(lost);
  await assert.rejects(
    (async () => {
      while ((await history.next()).done !== true);
    })(),
    StoreFailure,
  );
  await post(store, 'goes on');
});

test('while the disk of the database is full, its health says so, until something is stored again', async (t) => {
  const { store, url, reports } = await settingOf(t);
  await post(store, 'before');
  const client = await openClient(t, url);
  await client.query(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger refuse before insert on entry for each row execute function refuse()`);
  assert.equal((await failureOf(post(store, 'never'))).stored, 'nothing');
  // A call that stores nothing succeeds.
  assert.equal(await store.write({}, () => ({ result: 'nothing' })), 'nothing');
  for (let looks = 0; looks < 2; looks++) {
    const { writable, reason } = await store.health();
    assert.deepEqual({ writable, reason }, { writable: false, reason: 'the disk of the database is full' });
  }
  await client.query('drop trigger refuse on entry');
  assert.equal((await store.health()).writable, true);
  await post(store, 'after');
  assert.deepEqual(await textsOf(store), ['before', 'after']);
  const told = reports.filter((what) => what.startsWith('writes')).map((what) => what.split(',')[0]);
  assert.deepEqual(told, ['writes are refused', 'writes are accepted again']);
});
