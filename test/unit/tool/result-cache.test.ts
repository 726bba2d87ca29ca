import assert from 'node:assert/strict';
import test from 'node:test';
import type { CachedResult } from '#tool/cached-result.ts';
import { defineTool, READS, type Context } from '#tool/define-tool.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import { z } from 'zod';

const MAX_BYTES = 1_000_000;

function setUp() {
  const world = { revision: 1 as number | undefined, runs: 0, length: 5, during: (): void => undefined };
  const tool = defineTool({
    name: 'a_tool',
    title: 'x',
    description: 'x',
    area: 'feed',
    rank: 1,
    http: 'GET /x',
    annotations: READS,
    errors: [],
    example: {},
    input: z.object({ n: z.int().optional(), q: z.string().default('') }),
    output: z.object({ runs: z.int(), text: z.string() }),
    handle: () => {
      world.during();
      return { runs: ++world.runs, text: 'x'.repeat(world.length) };
    },
  });
  const context = (textBudget?: number) =>
    ({ caller: { clientKey: 'x', ...(textBudget !== undefined && { textBudget }) } }) as Context;
  const cache = new ResultCache(() => world.revision, MAX_BYTES);
  const run = async (args: unknown = {}, textBudget?: number): Promise<CachedResult> =>
    cache.run(tool, args, context(textBudget));
  return { world, tool, context, cache, run };
}

test('a read runs once while the revision stays, and again after a change', async () => {
  const { world, run } = setUp();
  const first = await run();
  assert.equal(await run(), first);
  assert.equal(first.text, JSON.stringify(first.output));
  world.revision = 2;
  assert.equal((await run()).output['runs'], 2);
});

test('a cached result is returned synchronously', async () => {
  const { cache, tool, context, run } = setUp();
  const first = await run();
  assert.equal(cache.run(tool, {}, context()), first);
});

test('other arguments and another text budget make another entry; order, defaults, nulls and unknown names do not', async () => {
  const { world, run } = setUp();
  for (const args of [{}, { q: '' }, { n: null }, { unknown: 'x'.repeat(8000) }, { __proto__: 1 }])
    await run(args);
  assert.equal(world.runs, 1);
  await run({ n: 1, q: 'a' });
  await run({ q: 'a', n: 1 });
  assert.equal(world.runs, 2);
  await run({}, 40_000);
  assert.equal(world.runs, 3);
});

test('a read during a change and a read of unknown revision are not cached', async () => {
  const { world, run } = setUp();
  const twice = async (): Promise<number> => {
    const before = world.runs;
    for (let n = 0; n < 2; n++) await run();
    return world.runs - before;
  };
  world.revision = undefined;
  assert.equal(await twice(), 2);
  world.revision = 5;
  world.during = () => {
    world.revision = (world.revision ?? 0) + 1;
  };
  assert.equal(await twice(), 2);
});

test('equal reads at the same time run once, also when the revision is a promise', async () => {
  const { world, tool, context } = setUp();
  const cache = new ResultCache(async () => world.revision);
  const results = await Promise.all([1, 2, 3, 4].map(async () => cache.run(tool, {}, context())));
  assert.equal(new Set(results).size, 1);
  assert.equal(world.runs, 1);
  world.revision = 2;
  await cache.run(tool, {}, context());
  assert.equal(world.runs, 2);
});

test('a failure is not cached', async () => {
  const { world, run } = setUp();
  world.during = () => {
    world.during = () => undefined;
    throw new WorkspaceError('not_found', 'There is none.');
  };
  await assert.rejects(run(), { name: 'WorkspaceError' });
  assert.equal((await run()).output['runs'], 1);
});

test('invalid arguments fail before the cache is asked', () => {
  const { cache, tool, context } = setUp();
  for (const args of [null, 5, [], { n: 'x' }, { q: {} }]) {
    assert.throws(() => cache.run(tool, args, context()), { name: 'WorkspaceError' });
  }
});

test('the cache stays within its bound, counting keys and forms, and drops the entry used longest ago', async () => {
  const { world, cache, run } = setUp();
  world.length = 10_000;
  for (let n = 0; n < 200; n++) {
    (await run({ n, q: 'k'.repeat(1000) })).form(() => ({ size: 20_000 }));
    assert.ok(cache.size <= MAX_BYTES);
  }
  assert.ok(cache.size > MAX_BYTES / 2);
  const before = world.runs;
  await run({ n: 199, q: 'k'.repeat(1000) });
  assert.equal(world.runs, before);
  await run({ n: 0, q: 'k'.repeat(1000) });
  assert.equal(world.runs, before + 1);
});

test('a result over a tenth of the bound is not kept, and takes the place of no other', async () => {
  const { world, run } = setUp();
  await run({ n: 1 });
  world.length = MAX_BYTES;
  await run({ n: 2 });
  await run({ n: 2 });
  await run({ n: 1 });
  assert.equal(world.runs, 3);
});

test('a result that grows over a tenth of the bound by its forms is dropped', async () => {
  const { world, run } = setUp();
  (await run()).form(() => ({ size: MAX_BYTES }));
  await run();
  assert.equal(world.runs, 2);
});

test('a form is made once for each function that makes it', async () => {
  const { run } = setUp();
  let made = 0;
  const make = (): { size: number } => ({ size: ++made });
  const result = await run();
  assert.equal(result.form(make), result.form(make));
  assert.notEqual(
    result.form(() => ({ size: 1 })),
    result.form(make),
  );
  assert.equal(made, 1);
});

test('a change of revision drops every entry, and clear drops every entry and keeps what is being read out', async () => {
  const { world, cache, run } = setUp();
  await run({ n: 1 });
  await run({ n: 2 });
  world.revision = 2;
  const full = cache.size;
  await run({ n: 3 });
  assert.ok(cache.size < full);
  let cleared = false;
  world.during = () => {
    if (!cleared) cache.clear();
    cleared = true;
  };
  await run({ n: 4 });
  assert.equal(cache.size, 0);
  await run({ n: 4 });
  assert.equal(world.runs, 5);
});
