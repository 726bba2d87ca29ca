import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Item } from '#store/folder/item.ts';
import { StepList } from '#store/folder/step-list.ts';
import type { Post } from '#store/port/records.ts';

const COUNT = 250;

test('the texts of the steps are read ten at once, each once, the newest first', async () => {
  const posts = Array.from({ length: COUNT }, (_, n): Post => {
    const id = `post_${String(n).padStart(4, '0')}`;
    return { id, message: `IDEA: ${n}`, prefix: 'IDEA', parentId: null, rootId: id, createdAt: id };
  });
  const items = posts.map((post) => ({ ...post, isHidden: false, root: null }) as unknown as Item);
  const list = new StepList();
  for (const item of items) list.update(item, 1);
  const reads: number[] = [];
  const read = (wanted: readonly Item[]): Post[] => {
    reads.push(wanted.length);
    return wanted.map((item) => posts[items.indexOf(item)]!);
  };
  const steps = await list.read(read, () => []);
  assert.deepEqual(
    steps.map(({ id }) => id),
    posts.map(({ id }) => id),
  );
  assert.deepEqual(
    reads,
    Array.from({ length: COUNT / 10 }, () => 10),
  );
});
