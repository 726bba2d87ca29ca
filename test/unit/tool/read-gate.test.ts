import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReadGate, type Pause } from '#tool/read-gate.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

/** A gate whose reads end when the test says so. */
function setUp(options: { atOnce?: number; perNetwork?: number } = {}) {
  const started: string[] = [];
  const finish = new Map<string, () => void>();
  let warnings = 0;
  const gate = new ReadGate({ atOnce: 2, ...options, onRefused: () => warnings++ });
  const run = (name: string, caller: Partial<Caller> = {}, isLong = false) =>
    gate.run(
      { clientKey: name.slice(0, 1), ...caller },
      async () => {
        started.push(name);
        await new Promise<void>((resolve) => finish.set(name, resolve));
        return name;
      },
      { isLong },
    );
  // On a busy machine the slice may be over before each read, which then starts some 32 turns later.
  const settle = async (): Promise<void> => {
    let before = '';
    for (let quiet = 0; quiet < 100; quiet++) {
      await nextTurn();
      const now = JSON.stringify([gate.counts, started]);
      if (now !== before) quiet = 0;
      before = now;
    }
  };
  const end = async (name: string): Promise<void> => {
    await settle();
    finish.get(name)?.();
    await settle();
  };
  return { gate, started, run, end, settle, warnings: () => warnings };
}

test('a network runs half of what runs at once, and networks take turns', async () => {
  const { gate, started, run, end, settle } = setUp();
  // One after the other: where a slice ends between two calls, the second read starts later.
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) {
    void run(name);
    await settle();
  }
  assert.deepEqual(started, ['a1', 'b1']);
  for (const name of ['a1', 'b1', 'a2', 'b2', 'c1']) await end(name);
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'b2', 'c1', 'a3']);
  await end('a3');
  assert.deepEqual(gate.counts, { running: 0, waiting: 0, refused: 0, dropped: 0 });
});

test('of long reads of many networks half of what may run runs, so that another read starts at once', async () => {
  for (const [atOnce, expected] of [
    [1, ['a1']],
    [2, ['a1']],
    [4, ['a1', 'b1']],
  ] as const) {
    const { started, run, end, settle } = setUp({ atOnce });
    for (const name of ['a1', 'b1', 'c1', 'd1']) void run(name, {}, true);
    await settle();
    assert.deepEqual(started, expected);
    void run('d2');
    await settle();
    if (atOnce > 1) assert.deepEqual(started, [...expected, 'd2']);
    for (const name of ['a1', 'b1', 'c1', 'd1', 'd2']) await end(name);
    assert.deepEqual(started.toSorted(), ['a1', 'b1', 'c1', 'd1', 'd2']);
  }
});

test('a network alone runs one read at once where two may run, two where four may', async () => {
  for (const [atOnce, expected] of [
    [1, 1],
    [2, 1],
    [4, 2],
  ] as const) {
    const { started, run, settle } = setUp({ atOnce });
    for (const name of ['a1', 'a2', 'a3']) void run(name);
    await settle();
    assert.equal(started.length, expected);
  }
});

test('a network that has too many reads is refused, others are not', async () => {
  const { gate, run, end, warnings } = setUp({ perNetwork: 2 });
  const reads = ['a1', 'a2'].map((name) => run(name));
  await assert.rejects(run('a3').result, (error: unknown) => {
    assert.ok(error instanceof WorkspaceError);
    const { code, limit, retryAfterSeconds } = error.failure;
    assert.deepEqual([code, limit, retryAfterSeconds], ['rate_limited', 'readsAtOnce', 1]);
    return true;
  });
  assert.equal(warnings(), 1);
  const admitted = [run('b1'), run('a4', { hasWaitPlace: true })];
  for (const name of ['a1', 'b1', 'a2', 'a4']) await end(name);
  assert.deepEqual(await Promise.all([...reads, ...admitted].map(({ result }) => result)), [
    'a1',
    'a2',
    'b1',
    'a4',
  ]);
  assert.equal(gate.counts.refused, 1);
});

test('a waiting read whose caller has left never starts, and takes no place of its network', async () => {
  const { gate, started, run, end } = setUp({ perNetwork: 2 });
  let hasLeft = false;
  const running = run('a1');
  const left = run('a2', { hasLeft: () => hasLeft });
  hasLeft = true;
  const next = run('a3');
  await assert.rejects(left.result, WorkspaceError);
  await end('a1');
  await end('a3');
  assert.deepEqual([await running.result, await next.result], ['a1', 'a3']);
  assert.deepEqual(started, ['a1', 'a3']);
  assert.deepEqual(gate.counts, { running: 0, waiting: 0, refused: 0, dropped: 1 });
});

test('a read that another network joins starts in the turn of either, and stays while one of its callers stays', async () => {
  const { started, run, end } = setUp();
  let hasLeft = false;
  for (const name of ['a1', 'b1', 'a2']) void run(name);
  const shared = run('a3', { hasLeft: () => hasLeft });
  shared.join({ clientKey: 'c' });
  hasLeft = true;
  await end('b1');
  assert.deepEqual(started, ['a1', 'b1', 'a3']);
  await end('a3');
  assert.equal(await shared.result, 'a3');
  await end('a1');
  assert.deepEqual(started, ['a1', 'b1', 'a3', 'a2']);
});

test('a running read is dropped at its next pause once its caller has left', async () => {
  const gate = new ReadGate({ atOnce: 2 });
  let hasLeft = false;
  let steps = 0;
  const work = async (pause: Pause): Promise<void> => {
    for (; steps < 1000; steps++) {
      // Longer than a slice, so that the pause is one.
      for (const end = performance.now() + 11; performance.now() < end; );
      await pause();
      hasLeft = steps === 1;
    }
  };
  await assert.rejects(gate.run({ clientKey: 'a', hasLeft: () => hasLeft }, work).result, WorkspaceError);
  assert.equal(steps, 2);
  assert.deepEqual(gate.counts, { running: 0, waiting: 0, refused: 0, dropped: 1 });
});

test('a read that fails gives its place to the next one', async () => {
  const { gate, run, end } = setUp({ atOnce: 1 });
  const failing = gate.run({ clientKey: 'a' }, () => Promise.reject(new Error('zebra')));
  const next = run('a1');
  await assert.rejects(failing.result, /zebra/);
  await end('a1');
  assert.equal(await next.result, 'a1');
});
