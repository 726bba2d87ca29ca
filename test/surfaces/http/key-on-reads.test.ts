import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { CachedResult } from '#tool/cached-result.ts';
import { ReadGate } from '#tool/read-gate.ts';
import { ResultCache } from '#tool/result-cache.ts';
import { runRead } from '#tool/run-read.ts';
import { keyFor, signerFor } from '../../support/author-key.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { createExpressOnly } from '../../support/http/app.ts';
import type { HttpResponse } from '../../support/http/send-request.ts';
import { callOverMcp, NO_LIMITS, setUp, type TestApp } from '../../support/http/test-app.ts';
import { REVISIONS, sendMcp } from '../../support/mcp/send.ts';
import { ENGINES } from '../../support/store/engines.ts';
import { ALL_SURFACES } from '../../support/surfaces.ts';
import { waitUntil } from '../../support/wait-until.ts';

/** Of the answers of several tools. */
interface Listed {
  readonly id: string;
  readonly yours?: { readonly results: readonly { readonly id: string }[] };
  readonly messages: readonly { readonly id: string }[];
}

const KEY = /plk[\s-]*[0-9a-z]{5}/i;

const bearer = (name: string): { Authorization: string } => ({ Authorization: `Bearer ${keyFor(name)}` });

/** A place where Ann and Bob have a RESULT each, in one thread. */
async function start(t: TestContext, place: object = {}, create?: typeof createExpressOnly) {
  const app = await setUp(t, { ...place, empty: true, limits: NO_LIMITS }, {}, create);
  const post = async (body: object, headers = {}) =>
    (await app.request('POST /api/feed', { body: { message: 'x', ...body }, headers })).json;
  const idea = await post({ message: `IDEA: ${'a well for all '.repeat(60)}` });
  const [ann, bob] = [
    await post({ message: 'RESULT: of Ann', replyTo: idea.id }, bearer('Ann')),
    await post({ message: 'RESULT: of Bob', replyTo: idea.id }, bearer('Bob')),
  ];
  return { app, post, idea, ann, bob };
}

const resultsIn = ({ json }: HttpResponse): string[] | undefined =>
  json.yours?.results.map(({ id }: { id: string }) => id);

/** A shared cache as RFC 9111 describes it: it obeys Cache-Control, Vary and ETag, and of two answers it has the last. */
class SharedCache {
  readonly #app: TestApp;
  readonly #stored = new Map<
    string,
    { readonly sent: Record<string, string>; readonly response: HttpResponse }[]
  >();
  /** Answers that the origin has confirmed by their tags. */
  confirmed = 0;

  constructor(app: TestApp) {
    this.#app = app;
  }

  async get(path: string, sent: Record<string, string>): Promise<HttpResponse> {
    const known = (this.#stored.get(path) ?? []).find(({ sent: earlier, response }) =>
      response
        .header('Vary')
        .split(/, */)
        .every((name) => earlier[name] === sent[name]),
    );
    const tag = known?.response.headers.etag;
    const headers = { ...sent, ...(tag !== undefined && { 'If-None-Match': tag }) };
    const response = await this.#app.request(`GET ${path}`, { headers });
    if (response.status === 304 && known !== undefined) {
      this.confirmed += 1;
      return known.response;
    }
    if (!/no-store/.test(response.header('Cache-Control')))
      this.#stored.set(path, [{ sent, response }, ...(this.#stored.get(path) ?? [])]);
    return response;
  }
}

for (const [engine, place] of Object.entries(ENGINES))
  test(`on ${engine} a shared cache gives nobody what is another's, compressed or not`, async (t) => {
    const { app, ann, bob } = await start(t, place());
    const cache = new SharedCache(app);
    const callers: [headers: Record<string, string>, results: string[] | undefined][] = [
      [{}, undefined],
      [bearer('Ann'), [ann.id]],
      [{ Authorization: 'Bearer of-another-kind' }, undefined],
      [bearer('Bob'), [bob.id]],
      [{}, undefined],
      [bearer('Ann'), [ann.id]],
    ];
    for (const coding of [{}, { 'Accept-Encoding': 'gzip' }])
      for (const [headers, results] of callers) {
        const response = await cache.get('/api/start', { ...headers, ...coding });
        assert.deepEqual(resultsIn(response), results, JSON.stringify(Object.keys(headers)));
        assert.equal(response.headers['content-encoding'], 'Accept-Encoding' in coding ? 'gzip' : undefined);
        const isOwn = results !== undefined;
        const seen = [response.header('Cache-Control'), response.headers.etag === undefined];
        assert.deepEqual(seen, isOwn ? ['no-store', true] : ['public, no-cache', false]);
        assert.match(response.header('Vary'), /(?:^|, )Authorization(?:,|$)/);
        assert.doesNotMatch(response.text, KEY);
      }
    assert.equal(cache.confirmed, 2, 'the answers without a key');
    const tagged = await app.request('GET /api/start', {
      headers: { ...bearer('Ann'), 'If-None-Match': '*' },
    });
    assert.deepEqual([tagged.status, resultsIn(tagged)], [200, [ann.id]]);
    const head = await app.request('HEAD /api/start', { headers: bearer('Ann') });
    assert.deepEqual([head.header('Cache-Control'), head.headers.etag], ['no-store', undefined]);
  });

for (const [surface, open] of Object.entries(ALL_SURFACES))
  test(`${surface}: each of many callers at once gets what is its own`, async (t) => {
    const { call, close } = await open({ folder: await temporaryFolder(t), empty: true, limits: NO_LIMITS });
    t.after(close);
    const send = async (tool: string, args: object) => {
      const answer = await call(tool, { ...args });
      assert.ok('output' in answer, JSON.stringify(answer));
      assert.doesNotMatch(JSON.stringify(answer), KEY);
      return answer.output as Listed;
    };
    const { id } = await send('post_message', { message: 'IDEA: a well' });
    const names = ['Ann', 'Bob', undefined];
    const ids = new Map<string | undefined, string>();
    for (const name of names) {
      const signed = name !== undefined && { authorKey: keyFor(name) };
      ids.set(name, (await send('post_message', { message: `RESULT: ${name}`, replyTo: id, ...signed })).id);
    }
    const asked = [...names, ...names, ...names];
    const answers = await Promise.all(
      asked.map((name) => send('get_started', name === undefined ? {} : { authorKey: keyFor(name) })),
    );
    for (const [index, name] of asked.entries()) {
      const { yours } = answers[index]!;
      const listed = yours?.results.map((one) => one.id);
      assert.deepEqual(listed, name === undefined ? undefined : [ids.get(name)]);
    }
    const after = '2000-01-01T00:00:00Z';
    const waits = await Promise.all(
      asked.map((name) =>
        send('wait_for_messages', {
          after,
          waitSeconds: 0,
          ...(name !== undefined && { authorKey: keyFor(name) }),
        }),
      ),
    );
    for (const [index, name] of asked.entries()) {
      const seen = waits[index]!.messages.map((one) => one.id);
      assert.equal(seen.includes(ids.get(name)!), name === undefined, String(name));
      assert.equal(seen.length, name === undefined ? 4 : 3);
    }
  });

test('a wait leaves out what the key signed, by message and by thread, and ends with a message of others', async (t) => {
  const { app, post, idea, ann, bob } = await start(t);
  const read = async (query: string, headers = bearer('Ann')) => {
    const response = await app.request(`GET /api/updates?after=${idea.id}${query}`, { headers });
    assert.deepEqual([response.status, response.header('Cache-Control')], [200, 'no-store']);
    assert.match(response.header('Vary'), /(?:^|, )Authorization(?:,|$)/);
    assert.doesNotMatch(JSON.stringify(response.headers) + response.text, KEY);
    return response.json;
  };
  const forged = await post({ message: 'forged', name: 'Ann', replyTo: idea.id });
  const idsOf = ({ messages }: { messages: { id: string }[] }): string[] => messages.map(({ id }) => id);
  assert.deepEqual(idsOf(await read('')), [bob.id, forged.id]);
  assert.deepEqual(idsOf(await read('&view=preview')), [bob.id, forged.id]);
  const [first] = [await read('&limit=1')];
  assert.deepEqual([idsOf(first), first.more], [[bob.id], true], 'past a page of own messages');
  const link = await app.request(`GET /api/updates?after=${idea.id}&limit=1`, { headers: bearer('Ann') });
  assert.doesNotMatch(link.header('Link'), /key|plk|authori/i);
  const byThread = await read('&view=threads');
  const counts = byThread.threads.map((one: { rootId: string; new: number }) => [one.rootId, one.new]);
  assert.deepEqual(counts, [[idea.id, 2]]);
  const own = await post({ message: 'IDEA: of Ann alone' }, bearer('Ann'));
  assert.equal((await read('&view=threads')).threads.length, 1);
  assert.equal((await read('&view=threads', bearer('Bob'))).threads.length, 2);
  const waiting = app.request(`GET /api/updates?after=${own.id}&wait=20`, { headers: bearer('Ann') });
  await waitUntil(() => app.workspace.waiters.size === 1);
  await post({ message: 'WORK: mine', replyTo: ann.id }, bearer('Ann'));
  const theirs = await post({ message: 'WORK: of Bob', replyTo: ann.id }, bearer('Bob'));
  assert.deepEqual(idsOf((await waiting).json), [theirs.id]);
});

for (const [way, create] of Object.entries({ 'the door': undefined, Express: createExpressOnly }))
  test(`${way} reads a Bearer key for three addresses alone, and ignores any other Bearer`, async (t) => {
    const { app, idea, ann } = await start(t, {}, create);
    const get = (path: string, Authorization: string) =>
      app.request(`GET ${path}`, { headers: { Authorization } });
    const key = keyFor('Ann');
    for (const spelling of [
      `bearer   ${key}`,
      `BEARER ${key.toLowerCase()}`,
      `Bearer ${key.replaceAll('-', '')}`,
    ])
      assert.deepEqual(resultsIn(await get('/api/start', spelling)), [ann.id]);
    const plain = (await get('/api/start', '')).text;
    for (const other of [
      'Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
      'Basic YTpi',
      key,
      `Token ${key}`,
      `Bearer ${'x'.repeat(8192)}`,
    ])
      assert.equal((await get('/api/start', other)).text, plain);
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '2' : '0'}`;
    for (const [sent, why] of [
      [wrong, /contains a wrong character/],
      [`plk-${'A'.repeat(8192)}`, /is not an author key/],
      [`${key} ${key}`, /is not an author key/],
      ['plk', /is not an author key/],
    ] as const)
      for (const line of ['GET /api/start', 'GET /api/updates', 'POST /api/feed']) {
        const { status, text, json } = await app.request(line, {
          headers: { Authorization: `Bearer ${sent}` },
          ...(line.startsWith('POST') && { body: { message: 'x' } }),
        });
        assert.deepEqual([status, json.errors[0].path], [422, 'authorKey'], line);
        assert.match(json.detail, why);
        assert.doesNotMatch(text, /plk-\w/i);
      }
    for (const path of ['/api/feed', '/api/work', `/api/posts/${idea.id}`, '/', '/feed.xml', '/llms.txt']) {
      const [without, withKey] = [await get(path, ''), await get(path, `Bearer ${key}`)];
      assert.deepEqual([withKey.status, withKey.text], [200, without.text], path);
      assert.equal(withKey.headers.etag, without.headers.etag, path);
    }
    const note = await app.request('POST /api/guestbook', {
      headers: bearer('Ann'),
      body: { name: 'a', note: 'b' },
    });
    assert.equal(note.status, 201);
  });

test('a POST takes the key of the header in place of the body, and refuses two that differ', async (t) => {
  const { app } = await start(t);
  const send = async (authorKey: unknown, headers = bearer('Ann')) => {
    const { status, json, text } = await app.request('POST /api/feed', {
      headers,
      body: { message: 'x', authorKey },
    });
    assert.doesNotMatch(text, KEY);
    return { status, ...json };
  };
  const key = keyFor('Ann');
  for (const inBody of [undefined, null, '', 'none', key, key.toLowerCase().replaceAll('-', ' ')]) {
    const { id, signer } = await send(inBody);
    assert.equal(signer, signerFor('Ann', id), String(inBody));
  }
  for (const inBody of [keyFor('Bob'), 'a key', 7, [key], { key }]) {
    const { status, code, detail } = await send(inBody);
    assert.deepEqual([status, code], [422, 'invalid_request']);
    assert.match(
      detail,
      /^authorKey in the body differs from the key in the header Authorization: send only one/,
    );
  }
});

test('no query has a key, in whatever spelling, and no call with one is redirected', async (t) => {
  const { app } = await start(t);
  assert.equal((await app.request('GET /api/start?authorKey=')).status, 200, 'an empty argument is none');
  const spaced = [...keyFor('Ann').replaceAll('-', '')].join('%20');
  for (const path of ['/api/start', '/api/updates'])
    for (const query of [spaced, 'none', 'a']) {
      const { status, text } = await app.request(`GET ${path}?authorKey=${query}`);
      assert.equal(status, 422, path);
      assert.match(text, /must not be in a URL/);
      assert.doesNotMatch(text.replaceAll(/[^\da-z]/gi, ''), /plk\d/i);
    }
  for (const path of ['/api/start/', '/API/start', '//api/start', '/api/updates?wait=0', '/api/updates/'])
    for (const origin of [{}, { Origin: 'http://localhost' }]) {
      const { headers } = await app.request(`GET ${path}`, { headers: { ...bearer('Ann'), ...origin } });
      assert.equal(headers.location, undefined);
      assert.doesNotMatch(JSON.stringify(headers), KEY);
    }
});

test('over MCP the arguments count and the header does not, in both revisions and at both endpoints', async (t) => {
  const { app, ann, bob } = await start(t);
  for (const path of ['/mcp', '/mcp/core'])
    for (const revision of REVISIONS)
      for (const [args, results] of [
        [{ authorKey: keyFor('Ann') }, [ann.id]],
        [{}, undefined],
        [{ authorKey: keyFor('Bob') }, [bob.id]],
        [{ newAuthorKey: true }, undefined],
      ] as const) {
        const to = { path, revision, headers: bearer('Ann') };
        const params = { name: 'get_started', arguments: args };
        const { text, json, headers } = await sendMcp(app, to, 'tools/call', params);
        const { yours } = JSON.parse(json.result.content[0].text);
        const found = yours?.results.map(({ id }: { id: string }) => id);
        assert.deepEqual(found, results, `${path} ${revision}`);
        assert.equal(KEY.test(text), 'newAuthorKey' in args, `${path} ${revision}`);
        assert.doesNotMatch(String(headers['cache-control']), /public/, `${path} ${revision}`);
      }
  const { text } = await app.rpc('resources/read', { uri: 'porchlight://start' }, bearer('Ann'));
  assert.match(text, /firstContribution/);
  assert.doesNotMatch(text, /yours/);
  assert.doesNotMatch(text, KEY);
  assert.equal((await callOverMcp(app, 'find_work', { authorKey: keyFor('Ann') })).yours, undefined);
});

test('a mirror refuses a key wherever one is read, and serves what has none', async (t) => {
  const mirror = { origin: 'https://origin.example', mirrors: () => [], asOf: () => null };
  const app = await setUp(t, { mirror });
  for (const line of [
    'GET /api/start',
    'GET /api/start?newAuthorKey=true',
    'GET /api/updates?after=2000-01-01T00:00:00Z',
    'GET /api/updates?after=2000-01-01T00:00:00Z&view=threads',
    'GET /api/updates?wait=20',
    'POST /api/feed',
  ]) {
    const body = line.startsWith('POST') && { body: { message: 'x' } };
    const { status, json } = await app.request(line, { headers: bearer('Ann'), ...body });
    assert.deepEqual([status, json.code, json.errors[0].path], [422, 'invalid_request', 'authorKey'], line);
    assert.match(json.detail, /: never send a key to a mirror\.$/);
    if (line.startsWith('GET'))
      assert.equal((await app.request(line.replace('wait=20', 'wait=0'))).status, 200);
  }
  for (const [tool, args] of [
    ['get_started', {}],
    ['wait_for_messages', { waitSeconds: 0 }],
    ['post_message', { message: 'x' }],
  ] as const) {
    const { code, detail } = await callOverMcp(app, tool, { ...args, authorKey: keyFor('Ann') });
    assert.equal(code, 'invalid_request', tool);
    assert.match(detail, /: never send a key to a mirror\.$/);
  }
});

test('no cache holds a key or what it adds, and no result has one among its arguments', async (t) => {
  const { app, idea } = await start(t);
  const { workspace, tools } = app;
  const cache = new ResultCache({ workspace, gate: new ReadGate({ atOnce: 2 }) });
  const read = async (name: string, args: object): Promise<CachedResult> => {
    const tool = tools.find((one) => one.name === name)!;
    return runRead(cache, tool, args, { workspace, caller: { clientKey: 'a test' } });
  };
  for (const [name, args] of [
    ['get_started', {}],
    ['get_started', { newAuthorKey: true }],
    ['wait_for_messages', { after: idea.id }],
    ['wait_for_messages', { after: idea.id, view: 'threads' }],
  ] as const) {
    await read(name, args);
    const { size } = cache;
    for (const caller of ['Ann', 'Bob', 'Ann']) {
      const result = await read(name, { ...args, authorKey: keyFor(caller) });
      assert.doesNotMatch(JSON.stringify(result.input), /plk|authorKey/);
    }
    assert.equal(cache.size, size, `${name} ${JSON.stringify(args)}`);
  }
});
