import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { HOLD_PREFIX } from '#store/port/records.ts';
import { keyFor } from '../support/author-key.ts';
import { callOverMcp, NO_LIMITS } from '../support/http/test-app.ts';
import { setUpEngines } from '../support/http/test-app-engines.ts';
import { erase, hide, unhide } from '../support/store/writes.ts';

const UNKNOWN = 'post_01a214ad-06aa-73b3-b136-91544051f4cd';
const HELD = `${HOLD_PREFIX} 2026-11-22T10:49Z: a test`;
const MISSPELT = 'Your line "Same key as:" counts only with one message id and nothing else after it';

const WITHOUT_KEY = ', in a message that is sent with the authorKey of the message that it names';

const unproven = (...ids: readonly string[]): string =>
  `Your line "Same key as:" is not proven for ${ids.join(' ')}, and readers see "not of this key": ` +
  'at most 3 such lines count, and only with the authorKey of the message that they name';

const short = (id: string): string => `post …${id.slice(-4)}`;

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true })) {
  const { engine, request, store } = setting;
  const post = async (key: string | undefined, message: string, given: object = {}) => {
    const body = { message, ...(key !== undefined && { authorKey: keyFor(key) }), ...given };
    return (await request('POST /api/feed', { body })).json;
  };
  const storedFor = async (id: string) => (await store.read.find('post', id))?.record.sameKeyAs;
  /** The warnings about lines "Same key as:". */
  const warned = ({ warnings }: { warnings: string[] }): string[] =>
    warnings.filter((one) => one.includes('Same key as:'));

  describe(`one key in two threads on ${engine}`, () => {
    it('is proven by the key of both messages, and by nothing else', async () => {
      const first = await post('Ann', 'IDEA: wells', { name: 'Ann' });
      const reply = await post('Ann', 'more', { replyTo: first.id });
      const ofBob = await post('Bob', 'hello');
      const unsigned = await post(undefined, 'hello');
      const line = `Same key as: ${first.id}`;
      for (const [key, message, given, proven, warnings] of [
        ['Ann', line, {}, [first.id], []],
        ['Ann', line, { replyTo: ofBob.id, name: 'Bob' }, [first.id], []],
        ['Ann', `RESULT: x\n${line}\nSame key as: ${reply.id}`, {}, [first.id, reply.id], []],
        // Of one thread it is true as well.
        ['Ann', line, { replyTo: first.id }, [first.id], []],
        ['Ann', `${line}\nSame key as: me`, {}, [first.id], []],
        ['Ann', 'Same key as: me', {}, undefined, []],
        ['Bob', line, { name: 'Ann' }, undefined, [unproven(first.id)]],
        ['Bob', line, { replyTo: first.id }, undefined, [unproven(first.id)]],
        [undefined, line, { name: 'Ann' }, undefined, [unproven(first.id)]],
        [undefined, `Same key as: ${unsigned.id}`, {}, undefined, [unproven(unsigned.id)]],
        ['Ann', `${line}\nSame key as: ${ofBob.id}`, {}, [first.id], [unproven(ofBob.id)]],
        ['Ann', `Same key as: ${unsigned.id}`, {}, undefined, [unproven(unsigned.id)]],
        ['Ann', `Same key as: ${UNKNOWN}`, {}, undefined, [unproven(UNKNOWN)]],
        ['Ann', `Same key as: ${first.id} ${reply.id}`, {}, undefined, [MISSPELT]],
        ['Ann', `Same key as: ${first.id.toUpperCase()}`, {}, undefined, [MISSPELT]],
        [undefined, `Same key as: ${first.id} ${reply.id}`, {}, undefined, [MISSPELT + WITHOUT_KEY]],
      ] as const) {
        const receipt = await post(key, message, given);
        const told = [await storedFor(receipt.id), receipt.sameKeyAs, warned(receipt)];
        assert.deepEqual(told, [proven, proven, warnings], message);
        assert.equal('notOfThisKey' in receipt, false);
      }
    });

    it('counts in the first three lines, and a repeated call has the same receipt', async () => {
      const ids: string[] = [];
      for (const n of [1, 2, 3, 4]) ids.push((await post('Cid', `IDEA: ${n}`)).id);
      const message = ids.map((id) => `Same key as: ${id}`).join('\n');
      const call = { idempotencyKey: 'same-key-of-cid' };
      const receipt = await post('Cid', message, call);
      const { id } = receipt;
      const warning = unproven(...ids.slice(3));
      assert.deepEqual([receipt.sameKeyAs, warned(receipt)], [ids.slice(0, 3), [warning]]);
      for (const key of ['Cid', 'Bob', undefined]) {
        const again = await post(key, message, call);
        assert.deepEqual([again.id, again.duplicate], [id, true]);
        assert.deepEqual([again.sameKeyAs, warned(again)], [ids.slice(0, 3), [warning]]);
      }
      const steps = await store.read.steps();
      assert.deepEqual(steps.find((step) => step.id === id)?.sameKeyAs, ids.slice(0, 3));
      const read = (await request(`GET /api/posts/${id}`)).json.post;
      assert.deepEqual([read.sameKeyAs, read.notOfThisKey], [ids.slice(0, 3), ids.slice(3)]);
    });

    it('is shown beside the message on every surface, without name and title of the other', async () => {
      const title = 'Wells of the northern valley';
      const other = await post('Dora', `IDEA: ${title}`, { name: 'Dora-of-wells' });
      const foreign = await post('Eve', `IDEA: ${title} again`, { name: 'Eve-of-wells' });
      const top = await post('Gus', 'IDEA: springs', { name: 'Gus' });
      const message = `RESULT: a list\nSame key as: ${other.id}\nSame key as: ${foreign.id}`;
      const own = await post('Dora', message, { name: 'Delta', replyTo: top.id });
      const isOwn = (one: { id: string }): boolean => one.id === own.id;
      const shown = async (): Promise<unknown[]> => {
        const [thread, feed, previews, news, mcp] = await Promise.all([
          request(`GET /api/posts/${top.id}?whole=true`),
          request('GET /api/feed'),
          request('GET /api/feed?view=preview'),
          request(`GET /api/updates?after=2020-01-01T00:00:00Z&limit=100&wait=0&posts=${top.id}`),
          callOverMcp(setting, 'read_thread', { postId: own.id }),
        ]);
        const read = [
          thread.json.replies.find(isOwn),
          feed.json.messages.find(isOwn),
          previews.json.messages.find(isOwn),
          news.json.messages.find(isOwn),
          mcp.post,
        ];
        return read.map(({ sameKeyAs, notOfThisKey }) => [sameKeyAs, notOfThisKey]);
      };
      const always = (proven: readonly string[] | undefined) =>
        Array.from({ length: 5 }, () => [proven, [foreign.id]]);
      assert.deepEqual(await shown(), always([other.id]));

      const label = (text: string): boolean =>
        text.includes(`same key as <a href="/posts/${other.id}">${short(other.id)}</a>`);
      const remark = (text: string): boolean =>
        text.includes(`not of this key: <a href="/posts/${foreign.id}">${short(foreign.id)}</a>`);
      const documents = [
        `/posts/${own.id}.txt`,
        `/posts/${top.id}.md`,
        '/feed.md',
        '/feed.atom',
        '/feed.xml',
        '/feed.json',
      ];
      const check = async (isShown: boolean): Promise<void> => {
        const thread = (await request(`GET /posts/${top.id}`)).text;
        const feed = (await request('GET /feed')).text;
        assert.deepEqual([label(thread), remark(thread)], [isShown, true], 'the page of the thread');
        assert.deepEqual([label(feed), remark(feed)], [isShown, true], 'the page of the feed');
        assert.doesNotMatch(thread, /of-wells|northern valley/);
        for (const path of documents) {
          const { text } = await request(`GET ${path}`);
          assert.deepEqual(
            [text.includes(`same key as ${other.id}`), text.includes(`not of this key: ${foreign.id}`)],
            [isShown, true],
            path,
          );
        }
        const twin = (await request(`GET /posts/${top.id}.md`)).text;
        assert.doesNotMatch(twin, /of-wells|northern valley/);
      };
      await check(true);
      // It stands beside that message only.
      assert.doesNotMatch((await request(`GET /posts/${other.id}`)).text, /same key as|of this key/);

      await hide(store, other.id, HELD);
      assert.deepEqual(await shown(), always(undefined));
      await check(false);
      await unhide(store, other.id);
      assert.deepEqual(await shown(), always([other.id]));
      await check(true);
      await hide(store, own.id, HELD);
      assert.doesNotMatch((await request(`GET /posts/${top.id}`)).text, /same key as|of this key/);
      await unhide(store, own.id);
      await erase(store, other.id);
      assert.deepEqual(await shown(), always(undefined));
      assert.deepEqual(await storedFor(own.id), [other.id]);
    });

    it('has the remark beside an excerpt too, in the lists of work and in the overview', async () => {
      const other = await post('Ann', 'IDEA: beside an excerpt');
      const { id } = await post('Bob', `IDEA: x\nSame key as: ${other.id}`);
      const isOwn = (one: { id: string }): boolean => one.id === id;
      const [start, work, page] = await Promise.all([
        request('GET /api/start'),
        request('GET /api/work?list=ideas'),
        request('GET /work?list=ideas'),
      ]);
      for (const found of [start.json.recent.find(isOwn), work.json.ideas.find(isOwn)])
        assert.deepEqual(found.notOfThisKey, [other.id]);
      assert.match(page.text, new RegExp(`not of this key: ${short(other.id)}`));
    });

    it('can be said of a hidden message, and not of an erased one', async () => {
      const [hidden, erased] = [await post('Finn', 'IDEA: a'), await post('Finn', 'IDEA: b')];
      await hide(store, hidden.id, HELD);
      await erase(store, erased.id);
      const receipt = await post('Finn', `Same key as: ${hidden.id}\nSame key as: ${erased.id}`);
      assert.deepEqual([receipt.sameKeyAs, warned(receipt)], [[hidden.id], [unproven(erased.id)]]);
      const read = async () => (await request(`GET /api/posts/${receipt.id}`)).json.post;
      assert.equal('sameKeyAs' in (await read()), false);
      await unhide(store, hidden.id);
      assert.deepEqual((await read()).sameKeyAs, [hidden.id]);
    });
  });
}
