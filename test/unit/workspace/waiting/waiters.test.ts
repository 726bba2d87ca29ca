import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Change, Revision } from '#store/port/store.ts';
import type { Topic } from '#workspace/waiting/post-watch.ts';
import { Waiters } from '#workspace/waiting/waiters.ts';

/** A signal that is never aborted. */
const never = (): AbortSignal => new AbortController().signal;
const MINUTE = 60_000;

/** A store of which only the changes, the prefixes and the revision are used. */
class WatchedStore {
  readonly listeners = new Set<(change: Change) => void>();
  readonly prefixes = new Map<string, string | null>();
  currentRevision: Revision = 1;
  /** What every read throws. */
  failure: Error | undefined;
  readonly read = {
    find: async (_: string, id: string) => {
      if (this.failure !== undefined) throw this.failure;
      return { record: { prefix: this.prefixes.get(id) ?? null } } as never;
    },
  };

  readonly watch = (listener: (change: Change) => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly revision = (): Revision => {
    if (this.failure !== undefined) throw this.failure;
    return this.currentRevision;
  };

  change(change: Partial<Change>): void {
    const whole = { action: 'add', kind: 'post', id: 'post_0', ancestors: [], ...change } as const;
    for (const listener of this.listeners) listener(whole);
  }
}

function setUp() {
  const store = new WatchedStore();
  const waiters = new Waiters(store);
  const waitFor = async (...topics: Topic[]): Promise<boolean> => {
    const waiter = waiters.register(topics, MINUTE, never());
    const isWoken = await waiter.woken();
    waiter.release();
    return isWoken;
  };
  return { store, waiters, waitFor };
}

const isSettled = (...promises: Promise<unknown>[]): Promise<boolean> =>
  Promise.race([...promises.map((promise) => promise.then(() => true)), delay(50).then(() => false)]);

test('a post wakes the calls that wait for the feed, its prefix or a post that it refers to, and no others', async () => {
  const { store, waiters, waitFor } = setUp();
  store.prefixes.set('post_2', 'RESULT');
  const woken = [waitFor('feed'), waitFor('prefix RESULT'), waitFor('post_9', 'post_1')];
  const others = [waitFor('prefix IDEA'), waitFor('prefix none'), waitFor('post_2'), waitFor('post_3')];
  store.change({ id: 'post_2', ancestors: ['post_1'] });
  assert.deepEqual(await Promise.all(woken), [true, true, true]);
  assert.equal(await isSettled(...others), false);
  assert.deepEqual([waiters.size, waiters.wakes], [4, 3]);
  store.change({ action: 'hide', ancestors: ['post_3'] });
  store.change({ kind: 'guest', ancestors: ['post_3'] });
  assert.equal(await isSettled(...others), false);
  waiters.stop();
  assert.deepEqual(await Promise.all(others), [false, false, false, false]);
  assert.equal(store.listeners.size, 0, 'nobody waits, so nothing is watched');
});

test('changes within 10 ms wake a call once, and a change while it looks wakes it when it waits again', async () => {
  const { store, waiters } = setUp();
  const waiter = waiters.register(['feed'], MINUTE, never());
  for (let n = 0; n < 3; n++) store.change({});
  await delay(30);
  assert.equal(await waiter.woken(), true);
  assert.equal(waiters.wakes, 1);
  const next = waiter.woken();
  assert.equal(await isSettled(next), false);
  store.change({});
  assert.equal(await next, true);
  waiter.release();
});

test('a wait ends when its time is up, its client is gone, the server stops or needs the place', async () => {
  const { waiters, waitFor } = setUp();
  const short = waiters.register(['feed'], 5, never());
  assert.equal(await short.woken(), false);
  short.release();
  const gone = new AbortController();
  const waiter = waiters.register(['feed'], MINUTE, gone.signal);
  const ended = waiter.woken();
  gone.abort();
  assert.equal(await ended, false);
  waiter.release();
  waiters.limitTo(2);
  const [first, second, third] = [waitFor('feed'), waitFor('post_1'), waitFor('feed')];
  assert.equal(await first, false, 'the one that waits longest');
  assert.equal(await isSettled(second, third), false);
  waiters.stop();
  assert.deepEqual(await Promise.all([second, third, waitFor('feed')]), [false, false, false]);
  assert.equal(waiters.size, 0);
});

/** @returns lets intervals pass */
function mockIntervals(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setInterval'] });
  return async (ms) => {
    await delay(1);
    t.mock.timers.tick(ms);
  };
}

test('a change of which the notification was lost wakes every call within ten seconds', async (t) => {
  const pass = mockIntervals(t);
  const { store, waiters, waitFor } = setUp();
  const first = waitFor('feed');
  const kept = waiters.register(['post_2'], MINUTE, never());
  await pass(10_000);
  assert.equal(await first, true, 'a change may have come before the revision was known');
  const waiting = [waitFor('feed'), waitFor('prefix IDEA'), waitFor('post_1')];
  await pass(10_000);
  assert.equal(await isSettled(...waiting), false, 'the revision is the same');
  store.currentRevision = 2;
  await pass(10_000);
  assert.deepEqual(await Promise.all(waiting), [true, true, true]);
  const later = waitFor('feed');
  store.currentRevision = undefined;
  await pass(10_000);
  assert.equal(await later, true, 'the revision is unknown');
  kept.release();
  assert.equal(waiters.size, 0);
});

test('while the store cannot be read every call is woken, since anything may have changed', async (t) => {
  const pass = mockIntervals(t);
  const { store, waiters, waitFor } = setUp();
  store.failure = new Error('the disk is away');
  const waiting = [waitFor('prefix IDEA'), waitFor('post_1')];
  store.change({});
  assert.equal(await waiting[0], true);
  await pass(10_000);
  assert.equal(await waiting[1], true);
  assert.equal(waiters.size, 0);
});

test('10,000 calls are woken in slices, and other work goes on between', async () => {
  const { store, waiters, waitFor } = setUp();
  const woken = Promise.all(Array.from({ length: 10_000 }, () => waitFor('feed')));
  store.change({});
  let slices = 0;
  for (let seen = 0; waiters.wakes < 10_000; ) {
    if (waiters.wakes > seen) slices += 1;
    seen = waiters.wakes;
    await new Promise(setImmediate);
  }
  await woken;
  assert.ok(slices >= 50, `${slices} slices`);
  assert.equal(waiters.size, 0);
});
