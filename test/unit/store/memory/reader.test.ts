import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FeedSearch } from '#store/memory/feed/feed-search.ts';
import { createReader } from '#store/memory/reader.ts';
import { RecordIndex } from '#store/memory/record-index.ts';
import { aPost } from '../../../support/store/records.ts';

const COUNT = 40;

const stamp = (second: number): string => `2026-11-21T10:00:${String(second).padStart(2, '0')}.000000Z`;

it('a post that is hidden or erased while a search pauses is not part of its page', async () => {
  const index = new RecordIndex();
  const posts = Array.from({ length: COUNT }, (_, n) => ({
    ...aPost(`${'x '.repeat(3990)}oak`),
    createdAt: stamp(n),
  }));
  for (const [row, record] of posts.entries()) index.apply({ action: 'add', kind: 'post', record }, 0, row);
  const search = new FeedSearch(() => index.feed);
  const reader = createReader(async () => index, { now: () => 0 }, search);
  const page = reader.feed({ words: ['oak'] }, { limit: COUNT, maxCandidates: 20_000 });
  const [hidden, erased] = [posts[COUNT - 1]!.id, posts[COUNT - 2]!.id];
  // After the first slice, which has read both.
  setImmediate(() => {
    index.apply({ action: 'hide', id: hidden, at: stamp(50), reason: '' }, 0, COUNT);
    index.apply({ action: 'erase', id: erased, at: stamp(51), reason: '' }, 0, COUNT + 1);
  });
  const { items } = await page;
  search.stop();
  assert.deepEqual(
    items.map(({ record }) => record.id),
    posts
      .slice(0, -2)
      .map(({ id }) => id)
      .reverse(),
  );
});
