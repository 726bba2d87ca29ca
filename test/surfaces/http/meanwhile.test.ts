import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertProblem } from '../../support/http/problem.ts';
import { callOverMcp, NO_LIMITS } from '../../support/http/test-app.ts';
import { setUpEngines } from '../../support/http/test-app-engines.ts';
import { hide } from '../../support/store/writes.ts';

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true })) {
  const { engine, request, store } = setting;
  const post = async (body: object) => (await request('POST /api/feed', { body })).json;
  const readUpdates = async (cursor: unknown) =>
    (await request(`GET /api/updates?after=${String(cursor)}`)).json;

  describe(`readUpTo and ifUnchanged, on ${engine}`, () => {
    it('is null without a cursor, and nothing after the last message', async () => {
      const first = await post({ message: 'IDEA: x' });
      assert.equal(first.meanwhile, null);
      const { nextAfter } = await readUpdates('2000-01-01T00:00:00Z');
      const second = await post({ message: 'second', replyTo: first.id, readUpTo: nextAfter });
      assert.deepEqual(second.meanwhile, { count: 0, inThread: [], nextAfter: second.createdAt });
    });

    it('counts what is visible, names what is in the thread, and its cursor skips none of it', async () => {
      const idea = await post({ message: 'IDEA: y' });
      const { nextAfter } = await readUpdates('2000-01-01T00:00:00Z');
      const work = await post({ message: 'WORK: y', name: 'Ann', replyTo: idea.id });
      const elsewhere = await post({ message: 'elsewhere' });
      const hidden = await post({ message: 'hidden', replyTo: idea.id });
      await hide(store, hidden.id as string);
      const own = await post({ message: 'WORK: mine', replyTo: idea.id, readUpTo: nextAfter });
      assert.deepEqual(own.meanwhile, {
        count: 2,
        inThread: [{ id: work.id, prefix: 'WORK', name: 'Ann', createdAt: work.createdAt }],
        nextAfter,
      });
      const { messages } = await readUpdates((own.meanwhile as { nextAfter: string }).nextAfter);
      assert.deepEqual(
        messages.map(({ id }: { id: string }) => id),
        [work.id, elsewhere.id, own.id],
      );
      const overMcp = await callOverMcp(setting, 'post_message', { message: 'z', readUpTo: own.createdAt });
      assert.deepEqual(overMcp.meanwhile, { count: 0, inThread: [], nextAfter: overMcp.createdAt });
    });

    it('names the newest ten of the thread', async () => {
      const idea = await post({ message: 'IDEA: z' });
      const replies: unknown[] = [];
      for (let n = 0; n < 12; n++) replies.unshift((await post({ message: String(n), replyTo: idea.id })).id);
      const { meanwhile } = await post({ message: 'own', replyTo: idea.id, readUpTo: idea.createdAt });
      const { count, inThread } = meanwhile as { count: number; inThread: { id: string }[] };
      assert.equal(count, 12);
      assert.deepEqual(
        inThread.map(({ id }) => id),
        replies.slice(0, 10),
      );
    });

    it('is no part of what a repeated call must have equal, and null for one', async () => {
      const body = { message: 'once', idempotencyKey: 'meanwhile-1', readUpTo: '2026-01-01T00:00:00Z' };
      assert.notEqual((await post(body)).meanwhile, null);
      const again = await post({ ...body, readUpTo: '2026-01-02T00:00:00Z' });
      assert.deepEqual([again.duplicate, again.meanwhile], [true, null]);
    });

    it('refuses a post with ifUnchanged whose thread has changed, and stores nothing and counts nothing', async () => {
      const idea = await post({ message: 'IDEA: unchanged' });
      const { readUpTo } = (await request(`GET /api/posts/${String(idea.id)}`)).json;
      assert.equal(readUpTo, idea.createdAt);
      await post({ message: 'elsewhere' });
      const body = { message: 'WORK: a', replyTo: idea.id, readUpTo, ifUnchanged: true };
      const work = await post({ ...body, idempotencyKey: 'unchanged-1' });
      assert.deepEqual((work.meanwhile as { inThread: unknown[] }).inThread, []);
      assert.equal((await post({ ...body, idempotencyKey: 'unchanged-1' })).duplicate, true);

      const { posts } = await store.read.totals();
      const response = await request('POST /api/feed', { body: { ...body, message: 'WORK: b' } });
      assertProblem(response, 409, 'thread_changed');
      const meanwhile = {
        count: 2,
        inThread: [{ id: work.id, prefix: 'WORK', name: null, createdAt: work.createdAt }],
        nextAfter: readUpTo,
      };
      assert.deepEqual(response.json.meanwhile, meanwhile);
      const overMcp = await callOverMcp(setting, 'post_message', { ...body, message: 'WORK: c' });
      assert.deepEqual([overMcp.code, overMcp.meanwhile], ['thread_changed', meanwhile]);
      assert.equal((await store.read.totals()).posts, posts);

      const { nextAfter } = await readUpdates(readUpTo);
      assert.equal((await post({ ...body, message: 'WORK: d', readUpTo: nextAfter })).parentId, idea.id);
    });

    it('accepts one of twenty posts with ifUnchanged that are sent at once', async () => {
      const idea = await post({ message: 'IDEA: a race' });
      const send = (_: unknown, n: number) =>
        request('POST /api/feed', {
          body: { message: `WORK: ${n}`, replyTo: idea.id, readUpTo: idea.createdAt, ifUnchanged: true },
        });
      const statuses = (await Promise.all(Array.from({ length: 20 }, send))).map(({ status }) => status);
      assert.deepEqual(statuses.sort(), [201, ...Array.from({ length: 19 }, () => 409)]);
    });

    it('requires what ifUnchanged compares', async () => {
      const { id, createdAt } = await post({ message: 'a thread' });
      for (const part of [{}, { replyTo: id }, { readUpTo: createdAt }]) {
        const response = await request('POST /api/feed', {
          body: { message: 'x', ifUnchanged: true, ...part },
        });
        assertProblem(response, 422, 'invalid_request');
        assert.equal(response.json.errors[0].path, 'ifUnchanged');
      }
      assert.equal((await post({ message: 'x', ifUnchanged: false })).parentId, null);
    });

    it('gives each reader of a thread a cursor up to the newest message it has read', async () => {
      const idea = await post({ message: 'IDEA: pages' });
      const first = await post({ message: 'one', replyTo: idea.id });
      const nested = await post({ message: 'two', replyTo: first.id });
      const read = async (query: string) =>
        (await request(`GET /api/posts/${String(idea.id)}${query}`)).json.readUpTo;
      assert.equal(await read(''), first.createdAt);
      assert.equal(await read('?whole=true'), nested.createdAt);
      assert.equal(await read('?whole=true&limit=1'), first.createdAt);
      assert.equal(await read(`?whole=true&after=${String(nested.createdAt)}`), nested.createdAt);
      assert.equal((await request('GET /api/start')).json.readUpTo, nested.createdAt);
    });

    for (const readUpTo of ['yesterday', 5, {}, ['2026-01-01T00:00:00Z'], 'x'.repeat(8192)])
      it(`refuses ${JSON.stringify(readUpTo).slice(0, 30)} as a cursor, and stores nothing`, async () => {
        const { posts } = await store.read.totals();
        const response = await request('POST /api/feed', { body: { message: 'x', readUpTo } });
        assertProblem(response, 422, 'invalid_request');
        assert.equal(response.json.errors[0].path, 'readUpTo');
        assert.equal((await store.read.totals()).posts, posts);
      });
  });
}
