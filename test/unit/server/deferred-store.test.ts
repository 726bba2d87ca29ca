import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { tryReads } from '#commands/try-reads.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import type { Reader, Store } from '#store/port/store.ts';
import type { ServiceStore } from '#server/context.ts';
import { deferStore } from '#server/deferred-store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { addPost } from '../../support/store/writes.ts';

interface Opening {
  readonly deferred: ServiceStore;
  readonly store: Store;
  /** Settles the promise with which `deferred` was made. */
  readonly open: (store?: Store) => void;
  readonly fail: (reason: Error) => void;
}

async function startOpening(t: TestContext): Promise<Opening> {
  const store = await openFolderStore({
    folder: await temporaryFolder(t),
    clock: { now: () => Date.now() },
    report: () => undefined,
  });
  t.after(() => store.close());
  let open: Opening['open'] = () => undefined;
  let fail: Opening['fail'] = () => undefined;
  const opening = new Promise<Store>((resolve, reject) => {
    open = (opened = store) => {
      resolve(opened);
    };
    fail = reject;
  });
  return { deferred: deferStore(opening), store, open, fail };
}

type Methods = Readonly<Record<string, ((...args: unknown[]) => unknown) | undefined>>;

/** @returns the reader with a list of its calls: name and arguments */
function recordCalls(read: Reader): { reader: Reader; calls: unknown[] } {
  const calls: unknown[] = [];
  const methods = read as unknown as Methods;
  const reader = new Proxy(methods, {
    get: (_, name: string) =>
      // Without `then` it is no promise.
      methods[name] &&
      ((...args: unknown[]) => {
        calls.push([name, args]);
        return methods[name]!(...args);
      }),
  });
  return { reader: reader as unknown as Reader, calls };
}

test('every read that is called before the store is open reaches it with its arguments, and returns its result', async (t) => {
  const { deferred, store, open } = await startOpening(t);
  const { record } = await addPost(store, 'a text');
  const direct = recordCalls(store.read);
  assert.deepEqual(await tryReads(direct.reader), []);
  const later = recordCalls(store.read);
  const failures = tryReads(deferred.read);
  const found = deferred.read.find('post', record.id);
  const history = deferred.read.history()[Symbol.asyncIterator]().next();
  await nextTurn();
  assert.deepEqual(later.calls, []);
  open({ ...store, read: later.reader });
  assert.deepEqual(await failures, []);
  const names = (calls: unknown[]): string[] => calls.map((call) => JSON.stringify(call));
  assert.deepEqual(
    names(direct.calls).filter((call) => !names(later.calls).includes(call)),
    [],
  );
  assert.deepEqual((await found)?.record, record);
  assert.deepEqual((await history).value, { kind: 'post', record });
});

test('a write and a revision before the store is open wait for it, and afterwards the revision is there at once', async (t) => {
  const { deferred, store, open } = await startOpening(t);
  const written = addPost(deferred as Store, 'early');
  const revision = deferred.revision();
  assert.ok(revision instanceof Promise);
  assert.equal(deferred.sizeInBytes(), undefined);
  open();
  const { record } = await written;
  assert.equal((await store.read.find('post', record.id))?.record.message, 'early');
  assert.equal(typeof (await revision), 'number');
  assert.equal(deferred.revision(), store.revision());
  assert.equal(deferred.read, store.read);
  assert.equal(deferred.sizeInBytes(), store.sizeInBytes());
});

test('a listener that was added before the store is open hears of every change after it, until it is removed', async (t) => {
  const { deferred, store, open } = await startOpening(t);
  const heard: string[] = [];
  const unwatch = deferred.watch(({ id }) => heard.push(id));
  const unwatchEarly = deferred.watch(() => {
    assert.fail('it was removed before the store was open');
  });
  unwatchEarly();
  const first = addPost(deferred as Store, 'early');
  open();
  const ids = [(await first).record.id, (await addPost(store, 'later')).record.id];
  assert.deepEqual(heard, ids);
  unwatch();
  await addPost(store, 'unheard');
  assert.deepEqual(heard, ids);
  const unwatchLate = deferred.watch(({ id }) => heard.push(id));
  const { record } = await addPost(store, 'heard again');
  unwatchLate();
  assert.deepEqual(heard, [...ids, record.id]);
});

test('of a store that cannot be opened no call settles, and none is an unhandled rejection', async (t) => {
  const { deferred, fail } = await startOpening(t);
  let settled = 0;
  const count = (): void => {
    settled += 1;
  };
  const early = [
    deferred.read.frozen(),
    addPost(deferred as Store, 'early'),
    deferred.revision() as Promise<number>,
  ];
  for (const call of early) call.then(count, count);
  fail(new Error('no store'));
  await nextTurn();
  deferred.read.frozen().then(count, count);
  await nextTurn();
  assert.equal(settled, 0);
});
