import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import type { NewsRange } from '#store/port/pages.ts';
import { LAST_TIMESTAMP, type Post } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import { Board } from '#work/board.ts';
import { readNews } from '#workspace/reading/news.ts';
import { readThreadNews } from '#workspace/reading/updates.ts';
import { NewsQuery } from '#workspace/schemas/news.ts';
import { post, startTwo } from '../../../support/store/machine.ts';

const PAGE: NewsRange = { limit: 10, maxCandidates: 100 };

/**
 * A process appends a post and is about to sync it. Another process finds the line, syncs it, and shows it.
 * @param read is called for the first process before it goes on
 */
async function readAfterOther<Result>(
  t: TestContext,
  read: (reader: Reader, shown: Post, other: Reader) => Promise<Result>,
): Promise<{ result: Result; shown: Post }> {
  const [, a, b] = await startTwo(t);
  await post(a, 'first');
  const stop = a.disk.stopBefore('sync', /^log/);
  const appending = post(a, 'second');
  await stop.arrived;
  const shown = (await b.store.read.page('post', { order: 'newest', limit: 1 }))[0]?.record;
  assert.ok(shown?.message === 'second');
  const reading = read(a.store.read, shown, b.store.read);
  // What does not wait for the batch is answered before it ends.
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  stop.release();
  const result = await reading;
  assert.equal((await appending).record.id, shown.id);
  return { result, shown };
}

for (const cursor of ['createdAt', 'id'] as const)
  for (const view of ['full', 'threads'] as const)
    test(`the ${cursor} of a message that another process has shown is not ahead, in view ${view}`, async (t) => {
      const { result, shown } = await readAfterOther(t, async (reader, post) => {
        const query = NewsQuery.parse({ after: post[cursor], view, waitSeconds: 0 });
        const page =
          view === 'full'
            ? await readNews(reader, query, {})
            : await readThreadNews(reader, new Board(), query);
        const isAhead = 'wasAhead' in page ? page.wasAhead : page.afterWasAhead === true;
        const items = 'items' in page ? page.items : (page.threads ?? []);
        return { isAhead, nextAfter: page.nextAfter, items };
      });
      assert.deepEqual(result, { isAhead: false, nextAfter: shown.createdAt, items: [] });
    });

test('a post that another process has shown is found, and is no unknown one to a wait', async (t) => {
  const { result, shown } = await readAfterOther(t, (reader, { id }) =>
    Promise.all([reader.find('post', id), reader.news({ posts: [id] }, PAGE)]),
  );
  const [found, { unknownPosts }] = result;
  assert.deepEqual([found?.record.id, unknownPosts], [shown.id, []]);
});

test('the cursor of a line that another process has shown is one of the same log', async (t) => {
  const { result, shown } = await readAfterOther(t, async (reader, { id }, other) => {
    const n = (await other.log(null, 10))?.lines.find(({ added }) => added?.record.id === id)?.n ?? 0;
    return reader.log({ n, id }, 10);
  });
  assert.deepEqual(result?.lines, [], shown.id);
});

test('a cursor of the time of a message that another process has shown begins a page at that message', async (t) => {
  const { result, shown } = await readAfterOther(t, (reader, { createdAt }) =>
    reader.timestampsAround(createdAt),
  );
  assert.deepEqual(result, { atOrBefore: shown.createdAt, atOrAfter: shown.createdAt });
});

test('a read that names nothing of the batch of its process does not wait for it', async (t) => {
  const { result } = await readAfterOther(t, async (reader) => {
    for (const after of ['2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z', LAST_TIMESTAMP])
      await reader.news({ posts: ['post_unknown'] }, { ...PAGE, after });
    await reader.find('post', 'post_unknown');
    return (await reader.totals()).posts;
  });
  assert.equal(result, 1);
});
