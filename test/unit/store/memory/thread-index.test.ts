import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NONE } from '#store/memory/int32-column.ts';
import { ThreadIndex } from '#store/memory/thread-index.ts';

const COUNT = 1000;

const stamp = (time: number): string => String(time).padStart(6, '0');

/** A thread whose posts stand at the even times, and how often their times were asked for. */
function createThread(): { thread: ThreadIndex; reads: () => number } {
  let reads = 0;
  const thread = new ThreadIndex((post) => {
    reads += 1;
    return stamp(post * 2);
  });
  for (let post = 0; post < COUNT; post++) thread.add(0, post);
  return {
    thread,
    reads: () => {
      const since = reads;
      reads = 0;
      return since;
    },
  };
}

it('a page starts at any time, whether a post stands there or not', () => {
  const { thread } = createThread();
  const all = Array.from({ length: COUNT }, (_, post) => post);
  for (const time of [-1, 0, 1, 2, 999, 1000, 1001, 1997, 1998, 1999, 5000]) {
    const bound = time < 0 ? '' : stamp(time);
    assert.deepEqual(
      thread.page(0, { order: 'oldest', after: bound, limit: 3 }, NONE),
      all.filter((post) => post * 2 > time).slice(0, 3),
    );
    assert.deepEqual(
      thread.page(0, { order: 'newest', before: bound, limit: 3 }, NONE),
      all
        .filter((post) => post * 2 < time)
        .reverse()
        .slice(0, 3),
    );
  }
  assert.deepEqual(thread.page(1, { order: 'oldest', after: stamp(1), limit: 3 }, NONE), []);
});

it('a place near either end of a long thread is found without walking through it', () => {
  const { thread, reads } = createThread();
  reads();
  for (const time of [5, COUNT * 2 - 5, 5000]) {
    thread.page(0, { order: 'oldest', after: stamp(time), limit: 3 }, NONE);
    thread.page(0, { order: 'newest', before: stamp(time), limit: 3 }, NONE);
    assert.ok(reads() < 50);
  }
});
