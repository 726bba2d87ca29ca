import assert from 'node:assert/strict';
import { keyFor, signerFor } from '../../support/author-key.ts';
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
    const pick = (message: Record<string, unknown>, ...names: string[]) =>
      Object.fromEntries(names.map((name) => [name, message[name]]));

    const startOf = (message: Record<string, unknown>, title: string) => {
      const { id, prefix, name, createdAt } = message;
      return { id, prefix, name, title, createdAt };
    };

    /** Begins a thread with the key "opener". @param trusted keys that it trusts @returns the post, and a cursor */
    const openThread = async (title: string, ...trusted: string[]) => {
      const authorKey = keyFor('opener');
      const idea = await post({ message: `IDEA: ${title}`, authorKey });
      if (trusted.length === 0) return { ...idea, id: idea.id, readUpTo: idea.createdAt };
      const lines = trusted.map((one) => `Trust: ${signerFor(one, String(idea.id))}`);
      const { createdAt } = await post({ message: lines.join('\n'), replyTo: idea.id, authorKey });
      return { ...idea, id: idea.id, readUpTo: createdAt };
    };

    /** Answers a message with the key of a name. */
    const reply = (key: string, replyTo: unknown, message: string, given: object = {}) =>
      post({ message, replyTo, authorKey: keyFor(key), ...given });

    it('is null for a first post without a cursor, and nothing after the last message', async () => {
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
      const authorKey = keyFor('mine');
      const own = await post({ message: 'mine', replyTo: idea.id, authorKey });
      const work = await post({ message: 'WORK: its table', name: 'Ann', replyTo: idea.id });
      const elsewhere = await post({ message: 'elsewhere', replyTo: other.id });
      await post({ message: 'once more', replyTo: elsewhere.id });
      const hidden = await post({ message: 'hidden', replyTo: idea.id });
      await hide(store, hidden.id as string);
      const body = { replyTo: idea.id, readUpTo: nextAfter, ifUnchanged: false };
      const receipt = await post({ ...body, message: 'CHANGE: mine', authorKey });
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

    it('names the oldest five of the thread and five threads, and says that there are more', async () => {
      const idea = await post({ message: 'IDEA: z' });
      const replies: Record<string, unknown>[] = [];
      for (let n = 0; n < 12; n++) {
        replies.push(await post({ message: String(n), replyTo: idea.id }));
        await post({ message: `thread ${n}` });
      }
      const { meanwhile } = await post({ message: 'own', replyTo: idea.id, readUpTo: idea.createdAt });
      const { inThread, elsewhere, ...rest } = meanwhile as Record<string, Record<string, unknown>[]>;
      const ids = inThread!.map(({ id }) => id);
      assert.deepEqual(
        ids,
        replies.slice(0, 5).map(({ id }) => id),
      );
      const titles = elsewhere!.map(({ title }) => title);
      assert.deepEqual(
        titles,
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
      const idea = await openThread('unchanged');
      const { readUpTo } = (await request(`GET /api/posts/${String(idea.id)}`)).json;
      assert.equal(readUpTo, idea.createdAt);
      await post({ message: 'elsewhere' });
      const body = { message: 'WORK: a', replyTo: idea.id, readUpTo, ifUnchanged: true };
      const signed = { ...body, authorKey: keyFor('opener') };
      const work = await post({ ...signed, idempotencyKey: 'unchanged-1' });
      assert.equal((await post({ ...signed, idempotencyKey: 'unchanged-1' })).duplicate, true);
      await post({ message: 'a question', replyTo: idea.id });

      const { posts } = await store.read.totals();
      const refused = { ...body, message: 'WORK: b', idempotencyKey: 'unchanged-2' };
      const response = await request('POST /api/feed', { body: refused });
      assertProblem(response, 409, 'thread_changed');
      const { detail } = response.json;
      assert.match(detail, /^Nothing was stored\. .* ifUnchanged: false, and the same readUpTo/);
      const { notice, messages, nextAfter } = response.json.meanwhile;
      assert.match(notice, /never as instructions/);
      assert.deepEqual(
        messages.map(({ id, title, excerpt, why }: Record<string, unknown>) => [id, title, excerpt, why]),
        [[work.id, 'a', undefined, 'takes the same thing']],
      );
      const seen = [nextAfter, 'readUpTo' in response.json, 'except' in response.json];
      assert.deepEqual(seen, [work.createdAt, false, false]);
      const overMcp = await callOverMcp(setting, 'post_message', refused);
      assert.deepEqual([overMcp.code, overMcp.meanwhile], ['thread_changed', response.json.meanwhile]);
      assert.equal((await store.read.totals()).posts, posts);
      const again = await post({ ...refused, ifUnchanged: false });
      assert.equal(again.parentId, idea.id);
      const withExcept = { ...refused, idempotencyKey: 'unchanged-4', except: [work.id] };
      assertProblem(await request('POST /api/feed', { body: withExcept }), 409, 'thread_changed');
      const onward = { ...refused, message: 'WORK: c', idempotencyKey: 'unchanged-3' };
      assert.equal((await post({ ...onward, readUpTo: nextAfter })).parentId, idea.id);
    });

    /** @returns for each later message that refuses one why it does */
    const refusals = async (
      later: Readonly<Record<string, Record<string, unknown>>>,
      body: Readonly<Record<string, unknown>>,
    ) => {
      const { status, json } = await request('POST /api/feed', { body: { ifUnchanged: true, ...body } });
      assert.ok(status === 201 || status === 409, JSON.stringify(json));
      if (status === 201) {
        await hide(store, json.id);
        return {};
      }
      const nameOf = (id: unknown) => Object.keys(later).find((name) => later[name]?.['id'] === id);
      return Object.fromEntries(
        json.meanwhile.messages.map(({ id, why }: Record<string, unknown>) => [nameOf(id), why]),
      );
    };

    it('refuses only for what takes, reviews or corrects what the message is about, and says why', async () => {
      const idea = await openThread('concerns', 'Bob');
      const result = await reply('opener', idea.id, 'RESULT: r', { name: 'Ann' });
      const second = await post({ message: 'RESULT: s', replyTo: idea.id, name: 'Ann' });
      const readUpTo = second.createdAt as string;
      const takes = `Step I am taking: check ${result.id}`;
      const later = {
        far: await reply('opener', undefined, `WORK: far away\n${takes}`),
        work: await reply('opener', idea.id, `WORK: near\n${takes}`),
        review: await reply('Bob', result.id, 'REVIEW: r\nOutcome: confirmed'),
        correction: await reply('opener', idea.id, `RESULT: s\nCorrects: ${result.id}`, { name: 'Ann' }),
        talk: await reply('opener', idea.id, `a word on ${result.id}`),
      };
      const concerning = (message: string, replyTo?: unknown) =>
        refusals(later, { message, replyTo, readUpTo });
      const taken = {
        work: 'takes the same thing',
        review: 'reviews what you take',
        correction: 'corrects what you take',
      };
      assert.deepEqual(await concerning(`WORK: y\nStep I am taking: ${result.id}`, idea.id), taken);
      assert.deepEqual(await concerning('WORK: y', result.id), taken);
      assert.deepEqual(await concerning(`WORK: y\nStep I am taking: ${second.id}`, result.id), {});
      assert.deepEqual(await concerning('WORK: y', idea.id), {});
      assert.deepEqual(await concerning(`WORK: y, not ${result.id}`, second.id), {});
      assert.deepEqual(await concerning('REVIEW: y\nOutcome: confirmed', result.id), {
        work: 'takes what you review',
        review: 'reviews the same thing',
        correction: 'corrects what you review',
      });
      assert.deepEqual(
        await concerning(
          `REVIEW: y, not ${result.id}\nResult being checked: ${second.id}\nOutcome: confirmed`,
          idea.id,
        ),
        {},
      );
      assert.deepEqual(await concerning(`RESULT: y\nCorrects: ${result.id}`, idea.id), {
        work: 'takes what you correct',
        review: 'reviews what you correct',
        correction: 'corrects the same thing',
      });
      assert.deepEqual(await concerning('RESULT: y', idea.id), {});
      const inThread = 'is in the same thread';
      assert.deepEqual(await concerning('a word too', idea.id), {
        work: inThread,
        review: inThread,
        correction: inThread,
        talk: inThread,
      });
      assert.deepEqual(await concerning('IDEA: a thread of its own'), {});
    });

    it('compares what a later WORK and REVIEW are about, not what they mention', async () => {
      const idea = await openThread('mentions');
      const result = await post({ message: 'RESULT: r', replyTo: idea.id });
      const other = await post({ message: 'RESULT: s', replyTo: idea.id });
      const checked = `Result being checked: ${other.id}\nOutcome: confirmed`;
      const later = {
        work: await reply('opener', result.id, `WORK: x\nStep I am taking: ${other.id}`),
        review: await reply('opener', idea.id, `REVIEW: not ${result.id}\n${checked}`),
      };
      const readUpTo = other.createdAt;
      assert.deepEqual(await refusals(later, { message: 'WORK: y', replyTo: result.id, readUpTo }), {});
      const message = 'REVIEW: y\nOutcome: confirmed';
      assert.deepEqual(await refusals(later, { message, replyTo: result.id, readUpTo }), {});
      assert.deepEqual(await refusals(later, { message, replyTo: other.id, readUpTo }), {
        work: 'takes what you review',
        review: 'reviews the same thing',
      });
    });

    it('a correction refuses a message only if it is by who may change what it corrects', async () => {
      const ann = { name: 'Ann', authorKey: keyFor('opener') };
      const idea = await openThread('corrections', 'Bob');
      const result = await post({ message: 'RESULT: r', replyTo: idea.id, ...ann });
      const readUpTo = result.createdAt;
      const message = `RESULT: s\nCorrects: ${String(result.id)}`;
      const member = await post({ message, replyTo: idea.id, name: 'Bob', authorKey: keyFor('Bob') });
      for (const about of ['REVIEW: y', 'WORK: y'])
        assert.deepEqual(await refusals({ member }, { message: about, replyTo: result.id, readUpTo }), {});
      const own = await post({ message, replyTo: idea.id, ...ann });
      const refused = await refusals({ member, own }, { message: 'REVIEW: y', replyTo: result.id, readUpTo });
      assert.deepEqual(refused, { own: 'corrects what you review' });
    });

    it('of two messages with parts only those with the same part concern each other', async () => {
      const idea = await openThread('parts\nParts: north; south; east');
      const { readUpTo } = idea;
      const send = (message: string) => post({ message, replyTo: idea.id, authorKey: keyFor('opener') });
      const later = {
        north: await send('WORK: x\nPart: north'),
        south: await send('WORK: x\nPart: part South'),
        whole: await send('WORK: x'),
        east: await send('RESULT: x\nPart: east'),
      };
      const concerning = (message: string) => refusals(later, { message, replyTo: idea.id, readUpTo });
      const [whole, part] = ['takes the same thing', 'is on the same part'];
      assert.deepEqual(await concerning('WORK: y\nPart: south'), { south: part, whole });
      assert.deepEqual(await concerning('WORK: y\nPart: east'), { whole });
      assert.deepEqual(await concerning('WORK: y'), { north: whole, south: whole, whole });
      assert.deepEqual(await concerning('RESULT: y\nPart: east'), { east: part });
      assert.deepEqual(await concerning('RESULT: y\nPart: north'), {});
    });

    it('is the default of a WORK and a REVIEW with readUpTo, and false turns it off', async () => {
      const idea = await openThread('defaults');
      const result = await post({ message: 'RESULT: r', replyTo: idea.id });
      const readUpTo = result.createdAt;
      await post({ message: 'WORK: check it', replyTo: result.id, authorKey: keyFor('opener') });
      const status = async (message: string, given: object = { readUpTo }) =>
        (await request('POST /api/feed', { body: { message, replyTo: result.id, ...given } })).status;
      for (const message of ['WORK: x', 'REVIEW: x']) {
        assert.equal(await status(message), 409, message);
        assert.equal(await status(message, {}), 201, message);
        assert.equal(await status(message, { readUpTo, ifUnchanged: false }), 201, message);
      }
      for (const message of [`RESULT: x\nCorrects: ${String(result.id)}`, 'CHANGE: x', 'x'])
        assert.equal(await status(message), 201, message);
    });

    it('a receipt tells no WORK twice, and that of a REVIEW and a refusal have at most 1.5 KB without texts', async () => {
      const name = '🏮'.repeat(30);
      const idea = await openThread('sizes', ...Array.from({ length: 16 }, (_, n) => `size ${n}`));
      const result = await post({ message: 'RESULT: r', replyTo: idea.id });
      const title = '字'.repeat(200);
      const text = `WORK: ${title}\nStep I am taking: ${result.id}`;
      const readUpTo = result.createdAt;
      const works: unknown[] = [];
      for (let n = 0; n < 16; n++) {
        const { id } = await reply(`size ${n}`, idea.id, text, { name: `${n}${name.slice(4)}` });
        works.unshift(id);
      }
      const last = await post({ message: 'x', replyTo: idea.id });
      const work = { message: text, replyTo: idea.id, readUpTo, ifUnchanged: false };
      const { alsoUnderWay, meanwhile } = await post({ ...work, authorKey: keyFor('last') });
      const told = (alsoUnderWay as { id: string }[]).map(({ id }) => id);
      assert.deepEqual(told, works.slice(0, 3));
      const { inThread } = meanwhile as { inThread: { id: string }[] };
      assert.ok(inThread.length > 0 && inThread.every(({ id }) => !told.includes(id)));

      const review = { message: `REVIEW: ${title}`, replyTo: result.id, name };
      for (const given of [{}, { readUpTo, ifUnchanged: false }]) {
        const {
          status,
          text: receipt,
          json,
        } = await request('POST /api/feed', { body: { ...review, ...given } });
        assert.equal(status, 201);
        assert.ok(Buffer.byteLength(receipt) <= 1500, `${Buffer.byteLength(receipt)} bytes`);
        assert.deepEqual([json.meanwhile.more, json.refersTo], [true, [result.id]]);
        if ('readUpTo' in given) assert.ok(json.meanwhile.nextAfter < String(last.createdAt));
      }
      const body = { ...work, ifUnchanged: true };
      for (const refused of [
        (await request('POST /api/feed', { body })).json,
        await callOverMcp(setting, 'post_message', body),
      ]) {
        const bytes = Buffer.byteLength(JSON.stringify(refused));
        const { messages, more } = refused.meanwhile;
        assert.ok(bytes <= 1500 && messages.length > 0, `${bytes} bytes`);
        assert.equal(more, true);
        assert.equal('excerpt' in messages[0], false);
      }
    });

    it('only trusted signers refuse, whoever writes, and whatever others have posted', async () => {
      const idea = await openThread('trust', 'member');
      const inThread = { replyTo: idea.id, readUpTo: idea.readUpTo, name: 'x' };
      const as = (one: string) => ({ ...inThread, authorKey: keyFor(one) });
      const trusted = ['opener', 'member'].map((one) => signerFor(one, String(idea.id)));
      const result = await post({ message: 'RESULT: a', ...as('opener') });
      const review = `REVIEW:\nResult being checked: ${String(result.id)}\nEvidence: x\nOutcome: confirmed`;
      const work = `WORK:\nStep I am taking: ${String(idea.id)}`;
      for (const message of [review, work, 'a word']) {
        for (const stranger of [as('outsider'), inThread])
          assert.equal((await post({ message, ...stranger, ifUnchanged: false })).parentId, idea.id);
        for (const other of ['another outsider', 'member']) {
          const receipt = await post({ message, ...as(other), ifUnchanged: message !== 'a word' });
          assert.equal(receipt.parentId, idea.id);
        }
        const late = { message: `${message}\nand more`, ...inThread, ifUnchanged: true };
        for (const given of [{}, { authorKey: keyFor('opener') }]) {
          const { status, json } = await request('POST /api/feed', { body: { ...late, ...given } });
          assert.equal(status, 409);
          for (const { signer } of json.meanwhile.messages) assert.ok(trusted.includes(signer.toLowerCase()));
        }
      }
    });

    it('a REVIEW refuses another only with the same RESULT and outcome', async () => {
      const idea = await openThread('outcomes');
      const result = await post({ message: 'RESULT: r', replyTo: idea.id });
      const other = await post({ message: 'RESULT: s', replyTo: idea.id });
      const send = (id: unknown, outcome: string, given: object = {}) =>
        request('POST /api/feed', {
          body: { message: `REVIEW: x${outcome}`, replyTo: id, readUpTo: other.createdAt, ...given },
        });
      const authorKey = keyFor('opener');
      const said = ['\nOutcome: confirmed', ''];
      for (const outcome of said) assert.equal((await send(result.id, outcome, { authorKey })).status, 201);
      const same = await send(result.id, said[0]!);
      const seen = [same.status, same.json.meanwhile.messages.map(({ why }: { why: string }) => why)];
      assert.deepEqual(seen, [409, ['reviews the same thing']]);
      assert.equal((await send(result.id, '\nOutcome: not confirmed')).status, 201);
      assert.equal((await send(result.id, '')).status, 201);
      assert.equal((await send(other.id, said[0]!)).status, 201);
    });

    it("the caller's own messages never refuse its next one, and stand in no receipt, by their signers", async () => {
      const idea = await openThread('own', 'Bob');
      const authorKey = keyFor('opener');
      const first = await post({ message: 'WORK: x', replyTo: idea.id, name: 'Ann', authorKey });
      const stranger = await reply('Bob', idea.id, 'WORK: x', { name: 'Bob' });
      const elsewhere = await post({ message: 'WORK: y', authorKey });
      const again = await post({ message: 'WORK: z', replyTo: idea.id, authorKey });
      const message = `WORK: w\nStep I am taking: ${String(idea.id)}`;
      const body = { message, replyTo: idea.id, name: 'Cy', readUpTo: idea.readUpTo };
      const { status, json } = await request('POST /api/feed', { body: { ...body, authorKey } });
      const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id);
      assert.deepEqual([status, idsOf(json.meanwhile.messages)], [409, [stranger.id]]);
      const receipt = await post({ ...body, authorKey, ifUnchanged: false });
      assert.deepEqual(
        [receipt.meanwhile, receipt.alsoUnderWay],
        [
          { inThread: [], elsewhere: [], nextAfter: first.createdAt },
          [{ ...pick(stranger, 'id', 'name', 'signer', 'dueAt'), title: 'x' }],
        ],
      );
      const withoutKey = await request('POST /api/feed', { body: { ...body, name: 'Dan' } });
      const { messages, more } = withoutKey.json.meanwhile;
      const seen = [withoutKey.status, idsOf(messages), more];
      assert.deepEqual(seen, [409, [first.id, stranger.id, again.id, receipt.id], undefined]);
      assert.equal(elsewhere.parentId, null);
    });

    it('without a cursor a reply is told of the last two minutes of its thread, and gets no cursor', async () => {
      const authorKey = keyFor('Ann');
      const idea = await post({ message: 'IDEA: recent', name: 'Ann', authorKey });
      const old = await post({ message: 'old', replyTo: idea.id });
      setting.clock.advance(121_000);
      const quiet = await post({ message: 'first', replyTo: idea.id, authorKey });
      assert.deepEqual(quiet.meanwhile, { inThread: [], elsewhere: [] });
      await post({ message: 'elsewhere' });
      const word = await post({ message: 'a word', replyTo: old.id, name: 'Bob' });
      setting.clock.advance(60_000);
      const receipt = await post({ message: 'second', replyTo: idea.id, authorKey });
      const { inThread, ...rest } = receipt.meanwhile as { inThread: object[] };
      assert.deepEqual([inThread, rest], [[{ id: word.id, title: 'a word' }], { elsewhere: [] }]);
      for (let n = 0; n < 6; n++) await post({ message: String(n), replyTo: idea.id });
      const { meanwhile } = await post({ message: 'third', replyTo: idea.id, authorKey });
      const titles = (meanwhile as { inThread: { title: string }[] }).inThread.map(({ title }) => title);
      assert.deepEqual(titles, ['1', '2', '3', '4', '5']);
      assert.equal((meanwhile as { more: boolean }).more, true);
    });

    it('a wait with a filter says that its cursor is filtered, in every view', async () => {
      const { createdAt, id } = await post({ message: 'IDEA: filtered' });
      const path = `GET /api/updates?after=${String(createdAt)}`;
      for (const view of ['full', 'threads']) {
        for (const filter of ['prefix=IDEA', 'q=word', 'any=word', `posts=${String(id)}`])
          assert.equal((await request(`${path}&view=${view}&${filter}`)).json.filtered, true, filter);
        for (const own of ['', `&except=${String(id)}`])
          assert.equal('filtered' in (await request(`${path}&view=${view}${own}`)).json, false, own);
      }
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

for (const { engine, request, clock } of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true }))
  it(`ifUnchanged refuses a network sixty times an hour; what is not checked and repeats go on, on ${engine}`, async () => {
    const post = (body: object) => request('POST /api/feed', { body });
    const { json: idea } = await post({ message: 'IDEA: refusals', authorKey: keyFor('first') });
    const work = { message: 'WORK: x', replyTo: idea.id, readUpTo: idea.createdAt };
    const first = { ...work, authorKey: keyFor('first'), idempotencyKey: 'refusals-1' };
    assert.equal((await post(first)).status, 201);
    for (let n = 0; n < 60; n++) assert.equal((await post(work)).status, 409);
    const limited = await post(work);
    assertProblem(limited, 429, 'rate_limited');
    const refusal = [limited.json.limit, limited.json.retryAfterSeconds];
    assert.deepEqual(refusal, ['refusalsPerNetworkPerHour', 3600]);
    assert.equal((await post(first)).json.duplicate, true);
    assert.equal((await post({ ...work, ifUnchanged: false })).status, 201);
    clock.advance(3_600_000);
    assert.equal((await post(work)).status, 409);
  });
