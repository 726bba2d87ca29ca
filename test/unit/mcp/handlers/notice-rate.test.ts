import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createResourceWatcher } from '#mcp/handlers/subscriptions.ts';

const FEED = 'porchlight://feed';
const ABOUT = 'porchlight://about';

/** More turns than a pause between two slices takes, which a slow machine may need anywhere. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await nextTurn();
}

function watch(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let notify: (uris: readonly string[]) => void = () => undefined;
  const subscribe = createResourceWatcher({
    watchResources: (listener) => {
      notify = listener;
      return () => undefined;
    },
  });
  return {
    subscribe,
    notify: (uri: string) => {
      notify([uri]);
    },
    change: async (uri: string) => {
      notify([uri]);
      await settle();
    },
    pass: async (ms: number) => {
      t.mock.timers.tick(ms);
      await settle();
    },
  };
}

test('a subscription is notified of a change at once, and of all others of a second together, at its end', async (t) => {
  const { subscribe, change, pass } = watch(t);
  const notified: string[] = [];
  const ends = [FEED, ABOUT].map((uri) => subscribe(uri, uri, (changed) => notified.push(changed)));
  for (let n = 0; n < 10; n++) await change(FEED);
  assert.deepEqual(notified, [FEED]);
  await change(ABOUT);
  assert.deepEqual(notified, [FEED, ABOUT]);
  await pass(999);
  assert.deepEqual(notified, [FEED, ABOUT]);
  await pass(1);
  assert.deepEqual(notified, [FEED, ABOUT, FEED]);
  await change(FEED);
  assert.equal(notified.length, 3);
  await pass(1000);
  assert.equal(notified.length, 4);
  await pass(1000);
  await change(FEED);
  assert.equal(notified.length, 5);
  await change(FEED);
  for (const end of ends) end();
  await pass(1000);
  assert.equal(notified.length, 5);
});

test('the event loop does other work while many subscribers are notified, and one that ends gets nothing', async (t) => {
  const { subscribe, notify } = watch(t);
  let notified = 0;
  const work = (): void => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    notified += 1;
  };
  const ends = Array.from({ length: 40 }, () => subscribe(FEED, FEED, work));
  notify(FEED);
  await nextTurn();
  assert.ok(notified > 0 && notified < 40, `${notified} in the first turn`);
  ends.at(-1)?.();
  while (notified < 39) await nextTurn();
  await settle();
  assert.equal(notified, 39);
});
