import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { countByDay } from '#store/memory/day-counts.ts';
import type { RecordIndex } from '#store/memory/record-index.ts';
import { walkPosts } from '#store/memory/walk-posts.ts';
import { createRecordList } from '../../../support/store/record-list.ts';
import { aPost } from '../../../support/store/records.ts';

/** More than two batches. */
const COUNT = 3000;

const stamp = (n: number): string => new Date(n * 60_000).toISOString().replace('Z', '000Z');

const posts = Array.from({ length: COUNT }, (_, n) => ({ ...aPost(String(n)), createdAt: stamp(n) }));
const ids = posts.map(({ id }) => id);

function createIndex(): RecordIndex {
  const { index, add } = createRecordList();
  for (const post of posts) add(post);
  return index;
}

function hide(index: RecordIndex, id: string): void {
  index.apply({ action: 'hide', id, at: stamp(COUNT), reason: '' }, 0, COUNT);
}

/** Every slice is over as soon as a walk asks. */
function exhaustSlices(t: TestContext): void {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 60_000));
}

for (const order of ['newest', 'oldest'] as const) {
  it(`a walk visits each post of its range once from the ${order} on, and other work goes on meanwhile`, async (t) => {
    const index = createIndex();
    exhaustSlices(t);
    const visited: string[] = [];
    let visitedBefore = 0;
    setImmediate(() => (visitedBefore = visited.length));
    await walkPosts(
      async () => index,
      { order, after: stamp(9), before: stamp(COUNT - 9) },
      (batch, { table }) => {
        visited.push(...batch.map((post) => table.ids.idOf(post)));
        return true;
      },
    );
    const expected = ids.slice(10, -9);
    assert.deepEqual(visited, order === 'newest' ? expected.reverse() : expected);
    assert.ok(visitedBefore > 0 && visitedBefore < visited.length);
  });
}

it('a walk takes what follows a pause from the index of that moment', async (t) => {
  const index = createIndex();
  exhaustSlices(t);
  setImmediate(() => {
    hide(index, ids.at(-1)!);
  });
  const days = await countByDay(async () => index, {});
  const counts = days.map(({ byPrefix }) => byPrefix['none']);
  assert.deepEqual(counts, [1440, 1440, COUNT - 2 * 1440 - 1]);
});
