import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { assertProblem } from '../../support/http/problem.ts';
import { callOverMcp, NO_LIMITS } from '../../support/http/test-app.ts';
import { setUpEngines } from '../../support/http/test-app-engines.ts';
import { addPost, hide } from '../../support/store/writes.ts';

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true })) {
  const { engine, request, store } = setting;
  const post = async (body: object) => (await request('POST /api/feed', { body })).json;
  const readUpdates = async (cursor: unknown) =>
    (await request(`GET /api/updates?after=${String(cursor)}`)).json;

  describe(`readUpTo and ifUnchanged, on ${engine}`, () => {
    const startOf = (message: Record<string, unknown>, title: string) => {
      const { id, prefix, name, createdAt } = message;
      return { id, prefix, name, title, createdAt };
    };

    it('is null without a cursor, and nothing after the last message', async () => {
      const first = await post({ message: 'IDEA: x' });
      assert.deepEqual([first.meanwhile, 'message' in first], [null, false]);
      const { nextAfter } = await readUpdates('2000-01-01T00:00:00Z');
      const second = await post({ message: 'second', replyTo: first.id, readUpTo: nextAfter });
      assert.deepEqual(second.meanwhile, { inThread: [], elsewhere: [], nextAfter: second.createdAt });
    });

    it('says what is new in the thread and elsewhere, without own messages, and its cursor skips none of it', async () => {
      const idea = await post({ message: 'IDEA: y' });
      const other = await post({ message: 'IDEA: another' });
      const { nextAfter } = await readUpdates('2000-01-01T00:00:00Z');
      const own = await post({ message: 'mine', replyTo: idea.id });
      const work = await post({ message: 'WORK: its table', name: 'Ann', replyTo: idea.id });
      const elsewhere = await post({ message: 'elsewhere', replyTo: other.id });
      await post({ message: 'once more', replyTo: elsewhere.id });
      const hidden = await post({ message: 'hidden', replyTo: idea.id });
      await hide(store, hidden.id as string);
      const body = { message: 'WORK: mine', replyTo: idea.id, readUpTo: nextAfter };
      const receipt = await post({ ...body, except: [own.id] });
      assert.match(receipt.notice as string, /never as instructions/);
      assert.deepEqual(receipt.meanwhile, {
        inThread: [startOf(work, 'its table')],
        elsewhere: [{ rootId: other.id, title: 'another', new: 2 }],
        nextAfter: own.createdAt,
      });
      const { messages } = await readUpdates((receipt.meanwhile as { nextAfter: string }).nextAfter);
      assert.equal(messages[0].id, work.id);
      const overMcp = await callOverMcp(setting, 'post_message', {
        message: 'z',
        readUpTo: receipt.createdAt,
      });
      assert.deepEqual(overMcp.meanwhile, { inThread: [], elsewhere: [], nextAfter: overMcp.createdAt });
    });

    it('names the oldest ten of the thread and five threads, and says that there are more', async () => {
      const idea = await post({ message: 'IDEA: z' });
      const replies: Record<string, unknown>[] = [];
      for (let n = 0; n < 12; n++) {
        replies.push(await post({ message: String(n), replyTo: idea.id }));
        await post({ message: `thread ${n}` });
      }
      const { meanwhile } = await post({ message: 'own', replyTo: idea.id, readUpTo: idea.createdAt });
      const { inThread, elsewhere, ...rest } = meanwhile as Record<string, Record<string, unknown>[]>;
      assert.deepEqual(
        inThread!.map(({ id }) => id),
        replies.slice(0, 10).map(({ id }) => id),
      );
      assert.deepEqual(
        elsewhere!.map(({ title }) => title),
        [0, 1, 2, 3, 4].map((n) => `thread ${n}`),
      );
      assert.deepEqual(rest, { nextAfter: idea.createdAt, more: true });
    });

    it('is no part of what a repeated call must have equal, and null for one', async () => {
      const body = { message: 'once', idempotencyKey: 'meanwhile-1', readUpTo: '2026-01-01T00:00:00Z' };
      assert.notEqual((await post(body)).meanwhile, null);
      const again = await post({ ...body, readUpTo: '2026-01-02T00:00:00Z' });
      assert.deepEqual([again.duplicate, again.meanwhile], [true, null]);
    });

    it('refuses a post with ifUnchanged of which somebody did the same, stores and counts nothing, and takes it again', async () => {
      const idea = await post({ message: 'IDEA: unchanged' });
      const { readUpTo } = (await request(`GET /api/posts/${String(idea.id)}`)).json;
      assert.equal(readUpTo, idea.createdAt);
      await post({ message: 'elsewhere' });
      const body = { message: 'WORK: a', replyTo: idea.id, readUpTo, ifUnchanged: true };
      const work = await post({ ...body, idempotencyKey: 'unchanged-1' });
      assert.equal((await post({ ...body, idempotencyKey: 'unchanged-1' })).duplicate, true);
      const talk = await post({ message: 'a question', replyTo: idea.id });

      const { posts } = await store.read.totals();
      const refused = { ...body, message: 'WORK: b', idempotencyKey: 'unchanged-2' };
      const response = await request('POST /api/feed', { body: refused });
      assertProblem(response, 409, 'thread_changed');
      assert.match(response.json.detail, /the same idempotencyKey/);
      const { notice, messages, nextAfter } = response.json.meanwhile;
      assert.match(notice, /never as instructions/);
      assert.deepEqual(
        messages.map(({ id, excerpt }: Record<string, unknown>) => [id, excerpt]),
        [[work.id, 'WORK: a']],
      );
      assert.deepEqual([nextAfter, response.json.readUpTo], [readUpTo, talk.createdAt]);
      const overMcp = await callOverMcp(setting, 'post_message', refused);
      assert.deepEqual(
        [overMcp.code, overMcp.meanwhile, overMcp.readUpTo],
        ['thread_changed', response.json.meanwhile, talk.createdAt],
      );
      assert.equal((await store.read.totals()).posts, posts);
      const again = await post({ ...refused, readUpTo: response.json.readUpTo });
      assert.equal(again.parentId, idea.id);
    });

    it('refuses only for what concerns the message, and not for what is in except', async () => {
      const idea = await post({ message: 'IDEA: concerns' });
      const result = await post({ message: 'RESULT: r', replyTo: idea.id, name: 'Ann' });
      const readUpTo = result.createdAt as string;
      const later = {
        work: await post({ message: `WORK: far away\nStep I am taking: check ${result.id}` }),
        review: await post({ message: 'REVIEW: r', replyTo: result.id, name: 'Bob' }),
        correction: await post({ message: `RESULT: s\nCorrects: ${result.id}`, name: 'Ann' }),
        talk: await post({ message: 'a word', replyTo: idea.id }),
      };
      const names = Object.keys(later) as (keyof typeof later)[];
      const concerning = async (message: string, replyTo?: unknown): Promise<string[]> => {
        const found: string[] = [];
        for (const name of names) {
          const except = names.filter((other) => other !== name).map((other) => later[other].id);
          const body = { message, replyTo, readUpTo, ifUnchanged: true, except };
          const { status, json } = await request('POST /api/feed', { body });
          if (status === 409) found.push(name);
          else await hide(store, json.id);
          assert.ok(status === 201 || status === 409, JSON.stringify(json));
        }
        return found;
      };
      assert.deepEqual(await concerning(`WORK: y\nStep I am taking: ${result.id}`), ['work']);
      assert.deepEqual(await concerning('WORK: y', idea.id), []);
      assert.deepEqual(await concerning('WORK: y', later.work.id), ['work']);
      assert.deepEqual(await concerning('REVIEW: y', result.id), ['work', 'review', 'correction']);
      assert.deepEqual(await concerning('REVIEW: y', idea.id), []);
      assert.deepEqual(await concerning(`RESULT: y\nCorrects: ${result.id}`, idea.id), ['correction']);
      assert.deepEqual(await concerning('RESULT: y', idea.id), []);
      assert.deepEqual(await concerning('a word too', idea.id), ['review', 'talk']);
      assert.deepEqual(await concerning('IDEA: y', idea.id), ['review', 'talk']);
      assert.deepEqual(await concerning('IDEA: a thread of its own'), []);
    });

    it('refuses if more came than it looks at, and takes the message with the cursor of the error', async () => {
      const idea = await post({ message: 'IDEA: busy' });
      for (let n = 0; n < 201; n++) await addPost(store, `elsewhere ${n}`);
      const body = { message: 'WORK: x', replyTo: idea.id, readUpTo: idea.createdAt, ifUnchanged: true };
      const { status, json } = await request('POST /api/feed', { body });
      assert.deepEqual([status, json.meanwhile.messages], [409, []]);
      assert.match(json.detail, /^Nothing was stored. Over 200 messages came/);
      assert.equal((await post({ ...body, readUpTo: json.readUpTo })).parentId, idea.id);
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
      const { id } = await post({ message: 'a thread' });
      for (const part of [{}, { replyTo: id }]) {
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

for (const { engine, request } of await setUpEngines(
  { after },
  { limits: { feedPostsPerHour: 2 }, empty: true },
))
  it(`a caller over its limit is told so, whatever others have posted meanwhile, on ${engine}`, async () => {
    const post = (body: object) => request('POST /api/feed', { body });
    const { json: idea } = await post({ message: 'IDEA: a limit' });
    const work = { message: 'WORK: x', replyTo: idea.id, readUpTo: idea.createdAt, ifUnchanged: true };
    assert.equal((await post(work)).status, 201);
    assertProblem(await post({ ...work, message: 'WORK: y' }), 429, 'rate_limited');
  });
