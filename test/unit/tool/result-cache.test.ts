import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { CachedResult } from '#tool/cached-result.ts';
import { type AnyTool, type Context, defineTool } from '#tool/define-tool.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { createTimedRead, ResultCache, type ResultCacheOptions } from '#tool/result-cache.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { z } from 'zod';

const MAX_BYTES = 1_000_000;

/** The one timestamp of the store. */
const KNOWN = '2026-01-01T00:00:00.000001Z';

const createCache = (
  revision: ResultCacheOptions['workspace']['store']['revision'],
  now: () => number = () => 0,
): ResultCache =>
  new ResultCache({
    workspace: {
      store: { revision },
      now,
      recordCursor: async (_, cursor) => (cursor > '2027' ? undefined : KNOWN),
    },
    gate: new ReadGate({ atOnce: 2 }),
    maxBytes: MAX_BYTES,
  });

function setUp() {
  const during = (): void => undefined;
  const state = { revision: 1 as number | undefined, now: 1_000_000, runs: 0, length: 5, during };
  const tool = defineTool({
    name: 'a_tool',
    title: 'x',
    description: 'x',
    area: 'feed',
    rank: 1,
    http: 'GET /x',
    errors: [],
    example: {},
    input: z.object({ n: z.int().optional(), q: z.string().default('') }),
    output: z.object({ runs: z.int(), text: z.string() }),
    handle: () => {
      state.during();
      return { runs: ++state.runs, text: 'x'.repeat(state.length) };
    },
  });
  const context = (textBudget?: number) =>
    ({
      caller: { clientKey: 'x', ...(textBudget !== undefined && { textBudget }) },
      workspace: { service: {} },
    }) as Context;
  const cache = createCache(
    () => state.revision,
    () => state.now,
  );
  const run = async (args: unknown = {}, textBudget?: number): Promise<CachedResult> =>
    cache.run(tool, args, context(textBudget));
  return { state, tool, context, cache, run };
}

test('a read runs once per revision', async () => {
  const { state, run } = setUp();
  const first = await run();
  assert.equal(await run(), first);
  assert.equal(first.text, JSON.stringify(first.output));
  state.revision = 2;
  assert.equal((await run()).output['runs'], 2);
});

test('a result with a maximum age is made again when it has that age, or when the clock was set back', async () => {
  const { state, tool, cache, context } = setUp();
  const runAfter = async (ms: number): Promise<unknown> => {
    state.now += ms;
    return (await cache.run({ ...tool, maxAgeMs: 1000 }, {}, context())).output['runs'];
  };
  const runs: unknown[] = [];
  for (const ms of [0, 999, 1, 500, -2000, 999, 0]) runs.push(await runAfter(ms));
  assert.deepEqual(runs, [1, 1, 2, 2, 3, 3, 3]);
  state.revision = 2;
  assert.equal(await runAfter(0), 4);
});

test('a result without a maximum age expires too, and otherwise stays when the clock was set back', async () => {
  const { state, tool, cache, context } = setUp();
  const expiring = {
    ...tool,
    handle: ({ n }: { n?: number }, { expireAt }: Context) => {
      if (n === 1) expireAt?.(1_000_100);
      return { runs: ++state.runs, text: 'x' };
    },
  } as AnyTool;
  const runs: unknown[] = [];
  for (const time of [1_000_000, 1_000_099, 1_000_100, 999_000]) {
    state.now = time;
    for (const n of [1, 2]) runs.push((await cache.run(expiring, { n }, context())).output['runs']);
  }
  assert.deepEqual(runs, [1, 2, 1, 2, 3, 2, 4, 2]);
});

test('a result that expires is made again from that time on, also by a call that joined its computation', async () => {
  const { state, tool, cache, context } = setUp();
  let release = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (release = resolve));
  const expiring = {
    ...tool,
    maxAgeMs: 60_000,
    handle: async (_: unknown, { expireAt }: Context) => {
      const runs = ++state.runs;
      expireAt?.(1_000_500);
      expireAt?.(1_000_100);
      if (runs === 1) await waiting;
      return { runs, text: 'x' };
    },
  };
  const run = async (): Promise<unknown> => (await cache.run(expiring, {}, context())).output['runs'];
  const begin = async (): Promise<{ readonly output: Promise<unknown> }> => {
    const output = run();
    // Until the call has read the revision and the clock.
    await setImmediate();
    return { output };
  };
  const first = await begin();
  state.now += 99;
  const joined = await begin();
  state.now += 1;
  const late = await begin();
  release();
  assert.deepEqual(await Promise.all([first.output, joined.output, late.output]), [1, 1, 2]);
  state.now -= 1;
  assert.equal(await run(), 1);
  state.now += 1;
  assert.equal(await run(), 3);
});

test('arguments and the text budget are part of the key; argument order, defaults, nulls and toolCallId are not', async () => {
  const { state, run } = setUp();
  for (const args of [{}, { q: '' }, { n: null }, { toolCallId: 'x'.repeat(8000) }]) await run(args);
  assert.equal(state.runs, 1);
  await run({ n: 1, q: 'a' });
  await run({ q: 'a', n: 1 });
  assert.equal(state.runs, 2);
  await run({}, 40_000);
  assert.equal(state.runs, 3);
});

test('a read during a change and a read at an unknown revision are not cached', async () => {
  const { state, run } = setUp();
  const twice = async (): Promise<number> => {
    const before = state.runs;
    for (let n = 0; n < 2; n++) await run();
    return state.runs - before;
  };
  state.revision = undefined;
  assert.equal(await twice(), 2);
  state.revision = 5;
  state.during = () => {
    state.revision = (state.revision ?? 0) + 1;
  };
  assert.equal(await twice(), 2);
});

test('equal parallel reads run once, even if the revision is a promise', async () => {
  const { state, tool, context } = setUp();
  const cache = createCache(async () => state.revision);
  const results = await Promise.all([1, 2, 3, 4].map(async () => cache.run(tool, {}, context())));
  assert.equal(new Set(results).size, 1);
  assert.equal(state.runs, 1);
  state.revision = 2;
  await cache.run(tool, {}, context());
  assert.equal(state.runs, 2);
});

test('a failure is not cached', async () => {
  const { state, run } = setUp();
  state.during = () => {
    state.during = () => undefined;
    throw new WorkspaceError('not_found', 'There is none.');
  };
  await assert.rejects(run(), { name: 'WorkspaceError' });
  assert.equal((await run()).output['runs'], 1);
});

test('invalid arguments throw before the cache is read', () => {
  const { cache, tool, context } = setUp();
  for (const args of [null, 5, [], { n: 'x' }, { q: {} }]) {
    assert.throws(() => cache.run(tool, args, context()), { name: 'WorkspaceError' });
  }
});

test('the cache, keys and forms included, stays within its bound and evicts the least recently used entry', async () => {
  const { state, cache, run } = setUp();
  state.length = 10_000;
  for (let n = 0; n < 200; n++) {
    const before = cache.size;
    (await run({ n, q: 'k'.repeat(1000) })).encodedAs(() => ({ size: 20_000 }));
    assert.ok(cache.size <= MAX_BYTES);
    if (n < 10) assert.ok(cache.size >= before + 51_000, `${n}`);
  }
  assert.ok(cache.size > MAX_BYTES / 2);
  const before = state.runs;
  await run({ n: 199, q: 'k'.repeat(1000) });
  assert.equal(state.runs, before);
  await run({ n: 0, q: 'k'.repeat(1000) });
  assert.equal(state.runs, before + 1);
});

test('a result over a sixth of the bound is not cached and evicts no other', async () => {
  const { state, run } = setUp();
  await run({ n: 1 });
  state.length = MAX_BYTES;
  await run({ n: 2 });
  await run({ n: 2 });
  await run({ n: 1 });
  assert.equal(state.runs, 3);
});

test('a result whose forms grow over a sixth of the bound is dropped', async () => {
  const { state, run } = setUp();
  (await run()).encodedAs(() => ({ size: MAX_BYTES }));
  await run();
  assert.equal(state.runs, 2);
});

test('a form is created once per function', async () => {
  const { run } = setUp();
  let made = 0;
  const make = (): { size: number } => ({ size: ++made });
  const result = await run();
  assert.equal(result.encodedAs(make), result.encodedAs(make));
  const other = result.encodedAs(() => ({ size: 1 }));
  assert.notEqual(other, result.encodedAs(make));
  assert.equal(made, 1);
});

test('a new revision and clear drop every entry, and clear prevents running reads from being cached', async () => {
  const { state, cache, run } = setUp();
  await run({ n: 1 });
  await run({ n: 2 });
  state.revision = 2;
  const full = cache.size;
  await run({ n: 3 });
  assert.ok(cache.size < full);
  let cleared = false;
  state.during = () => {
    if (!cleared) cache.clear();
    cleared = true;
  };
  await run({ n: 4 });
  assert.equal(cache.size, 0);
  await run({ n: 4 });
  assert.equal(state.runs, 5);
});

test('pages that begin at one record are one result, by whatever cursor; a page past every record is not cached', async () => {
  const { state, tool, cache, context } = setUp();
  const paged = { ...tool, input: z.object({ before: z.string().optional(), after: z.string().optional() }) };
  const runs = async (args: object): Promise<number> => {
    const before = state.runs;
    for (let n = 0; n < 3; n++) await cache.run(paged, args, context());
    return state.runs - before;
  };
  assert.equal(await runs({ before: KNOWN }), 1);
  assert.equal(await runs({ before: '2001-01-01T00:00:00Z' }), 0);
  assert.equal(await runs({ after: '2001-01-01T00:00:00Z' }), 1);
  assert.equal(await runs({ after: KNOWN }), 0);
  assert.equal(await runs({ after: KNOWN, before: '2027-01-02T00:00:00Z' }), 3);
  assert.equal(await runs({ after: 'post_x' }), 3);
  assert.equal(await runs({}), 1);
});

test('a read whose only caller leaves is dropped, one that somebody else joined is not', async () => {
  const { state, tool, cache } = setUp();
  let hasLeft = false;
  const workspace = { now: () => 0, service: {} };
  const leaving = { caller: { clientKey: 'a', hasLeft: () => hasLeft }, workspace } as Context;
  const staying = { caller: { clientKey: 'b', hasLeft: () => false }, workspace } as Context;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = { ...tool, handle: async () => held.then(() => ({ runs: ++state.runs, text: 'x' })) };
  // They take both places of the gate.
  const running = ['c', 'd'].map(async (clientKey, n) =>
    cache.run(slow, { n }, { caller: { clientKey }, workspace: { now: () => 0, service: {} } } as Context),
  );
  const dropped = assert.rejects(async () => cache.run(slow, { n: 2 }, leaving), WorkspaceError);
  const joined = cache.run(slow, { n: 3 }, leaving);
  const joining = cache.run(slow, { n: 3 }, staying);
  hasLeft = true;
  release();
  await Promise.all(running);
  await dropped;
  assert.equal(await joined, await joining);
  assert.equal(state.runs, 3);
  assert.deepEqual(cache.gate.counts, { running: 0, waiting: 0, refused: 0, dropped: 1 });
});

function setUpTimed() {
  let now = 1000;
  let count = 0;
  const timed = createTimedRead(
    () => now,
    100,
    async () => {
      const number = ++count;
      await Promise.resolve();
      if (number === 1) throw new Error('zebra');
      return { input: {}, output: {}, text: `${number}` };
    },
  );
  return { read: async () => (await timed()).text, set: (time: number) => (now = time) };
}

test('a result is held until its age is the maximum, or the clock is set back, and a failure is not held', async () => {
  const { read, set } = setUpTimed();
  await assert.rejects(read(), /zebra/);
  assert.equal(await read(), '2');
  set(1099);
  assert.equal(await read(), '2');
  set(1100);
  assert.equal(await read(), '3');
  set(1099);
  assert.equal(await read(), '4');
});

test('reads at the same time share one run', async () => {
  const { read } = setUpTimed();
  await assert.rejects(read());
  assert.deepEqual(await Promise.all([read(), read(), read()]), ['2', '2', '2']);
});
