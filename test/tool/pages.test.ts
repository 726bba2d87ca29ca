import assert from 'node:assert/strict';
import test from 'node:test';
import { APPENDS, defineTool, READS, type Context } from '#tool/define.ts';
import { Pages } from '#tool/pages.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import { z } from 'zod';

function setUp() {
  const world = { revision: 1 as number | undefined, runs: 0, during: (): void => undefined };
  const make = (annotations: typeof READS, length = 5) =>
    defineTool({
      name: 'a_tool',
      title: 'x',
      description: 'x',
      http: 'GET /x',
      annotations,
      errors: [],
      example: {},
      input: z.object({ n: z.int().optional() }),
      output: z.object({ runs: z.int(), text: z.string() }),
      handle: () => {
        world.during();
        return { runs: ++world.runs, text: 'x'.repeat(length) };
      },
    });
  const context = (textBudget?: number) =>
    ({
      workspace: { revision: () => world.revision },
      caller: { visitor: 'x', ...(textBudget !== undefined && { textBudget }) },
    }) as unknown as Context;
  return { world, make, context, pages: new Pages() };
}

test('a read is made once while nothing changes, and again after a change', async () => {
  const { world, make, context, pages } = setUp();
  const first = await pages.answer(make(READS), {}, context());
  assert.equal(await pages.answer(make(READS), {}, context()), first);
  assert.equal(first.text, JSON.stringify(first.output));
  world.revision = 2;
  assert.equal((await pages.answer(make(READS), {}, context())).output['runs'], 2);
});

test('other arguments, and another text budget, make another page', async () => {
  const { world, make, context, pages } = setUp();
  for (const [args, budget] of [
    [{}, undefined],
    [{ n: 1 }, undefined],
    [{}, 40_000],
    [{}, undefined],
  ] as const) {
    await pages.answer(make(READS), args, context(budget));
  }
  assert.equal(world.runs, 3);
});

test('a write, a read during a change, and one whose revision cannot be told are not kept', async () => {
  const { world, make, context, pages } = setUp();
  const twice = async (annotations = READS): Promise<number> => {
    const before = world.runs;
    for (let n = 0; n < 2; n++) await pages.answer(make(annotations), {}, context());
    return world.runs - before;
  };
  assert.equal(await twice(APPENDS), 2);
  world.revision = undefined;
  assert.equal(await twice(), 2);
  world.revision = 5;
  world.during = () => {
    world.revision = (world.revision ?? 0) + 1;
  };
  assert.equal(await twice(), 2);
});

test('reads asked at the same time are made once, also where the revision has to be asked for', async () => {
  const { world, make, context, pages } = setUp();
  const asked = context();
  Object.assign(asked.workspace, { revision: async () => world.revision });
  const told = await Promise.all([1, 2, 3, 4].map(() => pages.answer(make(READS), {}, asked)));
  assert.equal(new Set(told).size, 1);
  assert.equal(world.runs, 1);
  world.revision = 2;
  await pages.answer(make(READS), {}, asked);
  assert.equal(world.runs, 2);
});

test('a failure is not kept', async () => {
  const { world, make, context, pages } = setUp();
  world.during = () => {
    world.during = () => undefined;
    throw new WorkspaceError('not_found', 'There is none.');
  };
  await assert.rejects(pages.answer(make(READS), {}, context()), { name: 'WorkspaceError' });
  assert.equal((await pages.answer(make(READS), {}, context())).output['runs'], 1);
});

test('the pages that are kept stay bounded, the oldest going first', async () => {
  const { world, make, context, pages } = setUp();
  const large = make(READS, 6_000_000);
  for (const n of [1, 2, 3]) await pages.answer(large, { n }, context());
  assert.equal(world.runs, 3);
  await pages.answer(large, { n: 3 }, context());
  assert.equal(world.runs, 3);
  await pages.answer(large, { n: 1 }, context());
  assert.equal(world.runs, 4);
});
