import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FeedSearch } from '#store/memory/feed-search.ts';
import { createReader } from '#store/memory/reader.ts';
import type { Post, Reader, RecordView } from '#store/port/store.ts';
import { createRecordList } from '../../../support/store/record-list.ts';
import { aPost } from '../../../support/store/records.ts';

const COUNT = 40;

const stamp = (second: number): string => `2026-11-21T10:00:${String(second).padStart(2, '0')}.000000Z`;

/** Each read that compares texts, and so pauses. */
const SEARCHES: Readonly<Record<string, (read: Reader) => Promise<{ items: RecordView<'post'>[] }>>> = {
  feed: (read) => read.feed({ words: ['oak'] }, { limit: COUNT, maxCandidates: 20_000 }),
  news: (read) => read.news({ words: ['oak'] }, { limit: COUNT, maxCandidates: 20_000 }),
};

for (const [name, search] of Object.entries(SEARCHES)) {
  it(`a post that is hidden or erased while a search of ${name} pauses is not part of its page`, async () => {
    const { index, add } = createRecordList();
    const posts = Array.from({ length: COUNT }, (_, n) => ({
      ...aPost(`RESULT: ${'x '.repeat(3980)}oak`),
      createdAt: stamp(n),
    }));
    for (const post of posts) add(post);
    const feedSearch = new FeedSearch(() => index.feed);
    const page = search(createReader(async () => index, { now: () => 0 }, feedSearch));
    // After the first slice, which has read two posts at one end.
    const gone = [posts[0]!, posts[1]!, posts[COUNT - 2]!, posts[COUNT - 1]!].map(({ id }) => id);
    setImmediate(() => {
      for (const [n, id] of gone.entries()) {
        const action = n % 2 === 0 ? 'hide' : 'erase';
        index.apply({ action, id, at: stamp(50 + n), reason: '' }, 0, COUNT + n);
      }
    });
    const { items } = await page;
    feedSearch.stop();
    const ids = items.map(({ record }) => record.id).sort();
    assert.deepEqual(
      ids,
      posts
        .slice(2, -2)
        .map(({ id }) => id)
        .sort(),
    );
  });
}

it('a search whose texts cannot be read now fails, and finds every post later', async () => {
  const { index, add, lose, restore } = createRecordList();
  const posts = [0, 1, 2].map((n) => ({ ...aPost(`oak ${n}`), createdAt: stamp(n) }));
  for (const post of posts) add(post);
  const [{ id }] = posts as [Post, ...Post[]];
  const feedSearch = new FeedSearch(() => index.feed);
  const read = createReader(async () => index, { now: () => 0 }, feedSearch);
  const search = () => read.feed({ words: ['oak'] }, { limit: COUNT, maxCandidates: 20_000 });
  lose(id);
  await assert.rejects(search(), { name: 'StoreFailure', stored: 'nothing' });
  restore(id);
  assert.equal((await search()).items.length, 3);
  feedSearch.stop();
});
