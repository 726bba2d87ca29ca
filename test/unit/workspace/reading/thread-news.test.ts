import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { NewsQuery } from '#workspace/schemas/news.ts';
import { publishPost } from '#workspace/publishing/post.ts';
import { readUpdates } from '#workspace/reading/updates.ts';
import { NO_LIMITS } from '../../../support/http/test-app.ts';
import { setUpEngines } from '../../../support/http/test-app-engines.ts';
import { hide } from '../../../support/store/writes.ts';

const CALLER = { clientKey: 'a test' };
const MAX_BYTES = 8000;

interface Posted {
  readonly id: string;
  readonly createdAt: string;
}

for (const { engine, workspace, store } of await setUpEngines(
  { after },
  { limits: NO_LIMITS, empty: true },
)) {
  const post = (message: string, replyTo?: string): Promise<Posted> =>
    publishPost(workspace, { message, replyTo }, CALLER);

  const read = (query: Partial<NewsQuery>) =>
    readUpdates(workspace, { waitSeconds: 0, limit: 50, view: 'threads', ...query }, {});

  /** @returns the threads of all pages, and what each page says of where it ends */
  async function readAll(query: Partial<NewsQuery>) {
    const pages = [];
    for (let { after: cursor } = query; ; ) {
      const page = await read({ ...query, after: cursor });
      assert.ok(Buffer.byteLength(JSON.stringify(page)) <= MAX_BYTES);
      pages.push(page);
      if (!page.more) return pages;
      assert.ok(page.nextAfter > (cursor ?? ''), 'a page moves on');
      cursor = page.nextAfter;
    }
  }

  describe(`what is new by thread, ${engine}`, () => {
    it('has the threads by their last message, oldest first, each with counts since the cursor', async () => {
      const { createdAt } = await post('before');
      const [a, b] = [await post('IDEA: count the benches'), await post('b')];
      await post('WORK: a', a.id);
      const result = await post('RESULT: a', a.id);
      await post('plain', b.id);
      await post('RESULT: a, corrected', a.id);
      const last = await post('REVIEW: a', a.id);
      const page = await read({ after: createdAt });
      assert.deepEqual(
        page.threads!.map(({ title, prefix, new: count, kinds }) => [title, prefix, count, kinds]),
        [
          ['b', null, 2, { none: 2 }],
          ['count the benches', 'IDEA', 5, { IDEA: 1, WORK: 1, RESULT: 2, REVIEW: 1 }],
        ],
      );
      assert.deepEqual([page.nextAfter, page.more, page.newer], [last.createdAt, false, 7]);
      const [later] = (await read({ after: result.createdAt, prefix: 'RESULT' })).threads!;
      assert.deepEqual([later!.rootId, later!.new, later!.kinds], [a.id, 1, { RESULT: 1 }]);
      assert.notEqual(later!.newestResult, result.id);
      const first = await read({ after: createdAt, limit: 1 });
      const seen = [first.threads!.length, first.nextAfter, first.more, first.newer];
      assert.deepEqual(seen, [1, first.threads![0]!.lastAt, true, null]);
    });

    it('has each of many threads once, on pages of at most 20 and 8,000 bytes, whatever their titles', async () => {
      const { createdAt } = await post('before');
      const roots: string[] = [];
      for (let n = 0; n < 45; n++)
        roots.push((await post(`${n % 2 === 0 ? '潮汐表'.repeat(40) : 'word '.repeat(30)}${n}`)).id);
      for (const root of roots.slice(0, 10)) await post('a reply', root);
      const order = [...roots.slice(10), ...roots.slice(0, 10)];
      for (const query of [{}, { q: '潮汐表' }, { any: '潮汐 word reply' }, { prefix: 'none' }] as const) {
        const pages = await readAll({ after: createdAt, ...query });
        const expected = 'q' in query ? roots.filter((_, n) => n % 2 === 0) : order;
        const listed = pages.flatMap(({ threads }) => threads!.map(({ rootId }) => rootId));
        assert.deepEqual(listed, expected);
        assert.ok(pages.every(({ threads }) => threads!.length <= 20));
      }
    });

    it('begins a thread whose first message is hidden with the oldest visible one', async () => {
      const root = await post('root');
      const reply = await post('a reply', root.id);
      await hide(store, root.id);
      for (const query of [{}, { prefix: 'none' }] as const) {
        const { threads } = await read({ after: root.createdAt, ...query });
        const seen = [threads!.length, threads![0]!.rootId, threads![0]!.title];
        assert.deepEqual(seen, [1, reply.id, 'a reply']);
      }
    });

    it('goes on with the next thread if the only one of a page is hidden while it is read', async (t) => {
      const { createdAt } = await post('before the threads');
      const [a, b] = [await post('RESULT: a'), await post('RESULT: b')];
      const find = store.read.find.bind(store.read);
      t.mock.method(store.read, 'find', async (kind: 'post', id: string) => {
        t.mock.restoreAll();
        await hide(store, a.id);
        return find(kind, id);
      });
      const query = { after: createdAt, prefix: 'RESULT', limit: 1 } as const;
      const page = await read(query);
      assert.deepEqual([page.threads, page.nextAfter, page.more], [[], a.createdAt, true]);
      const next = await read({ ...query, after: page.nextAfter });
      const rootIds = next.threads!.map(({ rootId }) => rootId);
      assert.deepEqual(rootIds, [b.id]);
    });

    it('groups the answers to posts from the beginning, without the posts of except', async () => {
      const [root, other] = [await post('mine'), await post('elsewhere')];
      const own = await post('own', root.id);
      await post('an answer', root.id);
      await post(`names ${root.id}`, other.id);
      const { threads, newer } = await read({ posts: [root.id], except: [own.id] });
      assert.deepEqual(
        threads!.map(({ rootId, new: count }) => [rootId, count]),
        [
          [root.id, 1],
          [other.id, 1],
        ],
      );
      assert.equal(newer, 2);
    });

    it('ends with the oldest cursor of a filter that groups a part only, and goes on there', async () => {
      const { createdAt } = await post('before');
      const [a, b] = [await post('CHANGE: a'), await post('CHANGE: b')];
      const replies = Array.from({ length: 1010 }, (_, n) => post(`CHANGE: ${n}`, n % 2 === 0 ? a.id : b.id));
      await Promise.all(replies);
      const pages = await readAll({ after: createdAt, prefix: 'CHANGE' });
      assert.equal(pages.length, 2);
      const counts = pages.flatMap(({ threads }) => threads!.map((thread) => thread.new));
      const total = counts.reduce((sum, count) => sum + count, 0);
      assert.equal(total, 1012);
      const [all] = await readAll({ after: createdAt });
      const news = all!.threads!.map((thread) => thread.new);
      assert.deepEqual(news, [506, 506]);
      assert.equal(all!.newer, 1000);
    });
  });
}
