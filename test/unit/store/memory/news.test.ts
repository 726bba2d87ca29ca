import assert from 'node:assert/strict';
import test from 'node:test';
import { findNews } from '#store/memory/news.ts';
import { RecordTable } from '#store/memory/record-table.ts';
import type { NewsFilter } from '#store/port/store.ts';
import { createRecordList } from '../../../support/store/record-list.ts';

const THREADS = 8;
const REPLIES = 20_000;

const idOf = (post: number): string => `post_019c9a31-6400-7000-8000-${String(post).padStart(12, '0')}`;
const stampOf = (post: number): string =>
  new Date(Date.UTC(2026, 0, 1) + post).toISOString().replace('Z', '000Z');

/** An index of long threads, and how many posts are looked at. */
function createThreads() {
  const { index, add } = createRecordList();
  let reads = 0;
  index.table.timeOf = (post) => {
    reads += 1;
    return RecordTable.prototype.timeOf.call(index.table, post);
  };
  const roots = Array.from({ length: THREADS }, (_, post) => idOf(post));
  for (let post = 0; post < THREADS + REPLIES; post++) {
    const parentId = post < THREADS ? null : roots[post % THREADS]!;
    const record = {
      id: idOf(post),
      message: parentId === null ? 'a root' : `a reply that names ${roots.join(' ')}`,
      prefix: null,
      parentId,
      rootId: parentId ?? idOf(post),
      answers: [],
      createdAt: stampOf(post),
    };
    add(record);
  }
  return {
    roots,
    read: async (filter: NewsFilter, after: string) => {
      reads = 0;
      const limits = { after, limit: 51, maxCandidates: 20_000 };
      const { posts, examinedTo } = await findNews(async () => index, filter, limits);
      return { count: posts.length, examinedTo, reads };
    },
  };
}

test('what a read of the answers to posts of long threads costs does not depend on their length', async () => {
  const { roots, read } = createThreads();
  const middle = THREADS + REPLIES / 2;
  for (const after of [stampOf(0), stampOf(middle), stampOf(middle).replace('000Z', '001Z')]) {
    const all = await read({ posts: roots }, after);
    assert.equal(all.count, 51);
    const rare = await read({ posts: roots, prefix: 'WORK' }, after);
    assert.deepEqual([rare.count, typeof rare.examinedTo], [0, 'string']);
    for (const { reads } of [all, rare]) assert.ok(reads < 60_000, `${reads} reads after ${after}`);
  }
  const { count, examinedTo } = await read({ posts: roots }, stampOf(THREADS + REPLIES));
  assert.deepEqual([count, examinedTo], [0, null]);
});
