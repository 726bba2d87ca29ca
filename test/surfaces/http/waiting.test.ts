import assert from 'node:assert/strict';
import { request as openRequest } from 'node:http';
import test, { type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { STATELESS_VERSION } from '#mcp/protocol/revisions.ts';
import {
  BEHIND_PROXY,
  callOverMcp,
  forwardedFor,
  IDEA,
  NO_LIMITS,
  setUp,
  untilWaiting,
  type TestApp,
} from '../../support/http/test-app.ts';
import { META_2026 } from '../../support/mcp/listen-stream.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface WaitArguments {
  readonly [name: string]: string | number | readonly string[] | undefined;
  readonly waitSeconds?: number;
}

type Answer = Record<string, unknown> & { messages: { id: string; message: string }[]; nextAfter: string };

/** An unusual member of the envelope, so that an SDK validates the message. */
const UNUSUAL = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'a' } } };

const ELICITING = {
  ...META_2026,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

const HEADERS_2026 = {
  'Mcp-Protocol-Version': STATELESS_VERSION,
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'wait_for_messages',
};

const ENCODED_2026 = {
  ...HEADERS_2026,
  'Mcp-Name': `=?base64?${Buffer.from('wait_for_messages').toString('base64')}?=`,
};

async function callTool(app: TestApp, args: object, params: object, headers = {}): Promise<Answer> {
  const { json, status } = await app.rpc(
    'tools/call',
    { name: 'wait_for_messages', arguments: args, ...params },
    headers,
  );
  assert.equal(status, 200);
  const { content, structuredContent, isError } = json.result;
  if (isError === true) return JSON.parse(content[0].text);
  assert.deepEqual(JSON.parse(content[0].text), structuredContent);
  return structuredContent;
}

/** Every way over HTTP, by name. */
const WAYS: Readonly<Record<string, (app: TestApp, args: WaitArguments) => Promise<Answer>>> = {
  REST: async (app, { waitSeconds, ...args }) => {
    const query = new URLSearchParams(args as Record<string, string>);
    if (waitSeconds !== undefined) query.set('wait', `${waitSeconds}`);
    const { json, status } = await app.request(`GET /api/updates?${query.toString()}`);
    assert.equal(status, 200);
    return json;
  },
  'MCP with a handshake': (app, args) => callTool(app, args, {}),
  'MCP with a handshake, through the SDK': (app, args) => callTool(app, args, UNUSUAL),
  'MCP of 2026': (app, args) => callTool(app, args, { _meta: META_2026 }, HEADERS_2026),
  'MCP of 2026, through the SDK': (app, args) => callTool(app, args, { _meta: ELICITING }, HEADERS_2026),
  'MCP of 2026, with a name that only the SDK decodes': (app, args) =>
    callTool(app, args, { _meta: META_2026 }, ENCODED_2026),
};

const post = async (
  app: TestApp,
  message: string,
  replyTo?: string,
): Promise<{ id: string; createdAt: string }> =>
  (await app.request('POST /api/feed', { body: { message, replyTo } })).json;

/** Makes later waits end after a hundredth of their time. */
function hurry(t: TestContext, { workspace: { waiters } }: TestApp): void {
  const register = waiters.register.bind(waiters);
  t.mock.method(waiters, 'register', (...[topics, timeoutMs, signal]: Parameters<typeof register>) =>
    register(topics, timeoutMs / 100, signal),
  );
}

for (const [way, call] of Object.entries(WAYS)) {
  test(`over ${way} a call waits for the next message and answers with it and its cursor`, async (t) => {
    const app = await setUp(t, { limits: NO_LIMITS });
    const waiting = call(app, { waitSeconds: 60 });
    await untilWaiting(app, 1);
    const { id, createdAt } = await post(app, 'RESULT: here it is');
    const answer = await waiting;
    const ids = answer.messages.map((message) => message.id);
    assert.deepEqual(ids, [id]);
    const { nextAfter, timedOut, more, newer } = answer;
    const answered = { nextAfter, timedOut, more, newer };
    assert.deepEqual(answered, { nextAfter: createdAt, timedOut: false, more: false, newer: 1 });
    assert.equal(app.workspace.waiters.size, 0);
    // What is there already is returned at once.
    await post(app, 'a second one');
    const next = await call(app, { after: nextAfter, waitSeconds: 240, view: 'preview' });
    assert.equal(next.messages.length, 1);
    assert.ok('excerpt' in next.messages[0]!);
    const none = await call(app, { after: next.nextAfter, waitSeconds: 0 });
    assert.deepEqual([none.messages, none['timedOut']], [[], false], 'it did not wait');
    hurry(t, app);
    const late = await call(app, { after: next.nextAfter, waitSeconds: 1 });
    assert.deepEqual([late.messages, late['timedOut'], late.nextAfter], [[], true, next.nextAfter]);
  });

  test(`over ${way} a call that waits for answers neither sees nor counts any other message`, async (t) => {
    const app = await setUp(t, { limits: NO_LIMITS });
    const { createdAt } = await post(app, 'elsewhere');
    const filters = [
      { posts: way === 'REST' ? IDEA : [IDEA] },
      { prefix: 'REVIEW' },
      { q: 'zebra' },
      { any: 'zebra tiger' },
    ];
    const waiting = filters.map((filter) => call(app, { ...filter, after: createdAt, waitSeconds: 60 }));
    await untilWaiting(app, filters.length);
    await post(app, 'nothing of that');
    await delay(50);
    assert.equal(app.workspace.waiters.size, filters.length);
    const answer = await post(app, 'REVIEW: a zebra', IDEA);
    for (const found of await Promise.all(waiting)) {
      const ids = found.messages.map(({ id }) => id);
      assert.deepEqual(ids, [answer.id]);
      assert.equal(found['newer'], 1);
    }
  });
}

test('calls with different except share their look, and each has a link to its own next page', async (t) => {
  const app = await setUp(t, { limits: NO_LIMITS });
  const { createdAt } = await post(app, 'before');
  const own = [await post(app, 'one'), await post(app, 'two')].map(({ id }) => id);
  const news = t.mock.method(app.store.read, 'news');
  for (const [index, except] of own.entries()) {
    const answer = await app.request(`GET /api/updates?after=${createdAt}&except=${except}`);
    const ids = answer.json.messages.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, [own[1 - index]]);
    assert.match(answer.header('Link') ?? '', new RegExp(`&except=${except}>; rel="next"$`));
  }
  assert.equal(news.mock.callCount(), 1);
});

const invalid: readonly [query: string, field: string][] = [
  ['wait=241', 'wait'],
  ['wait=1.5', 'wait'],
  ['wait=-1', 'wait'],
  [`posts=${Array.from({ length: 21 }, () => IDEA).join()}`, 'posts'],
  ['posts=project_019c9a31-6400-7000-8000-000000000006', 'posts.0'],
  [`posts=post_${'a'.repeat(200)}`, 'posts.0'],
  [`except=${Array.from({ length: 51 }, () => IDEA).join()}`, 'except'],
  ['except=the last one', 'except.0'],
  ['after=post_019c9a31-6400-4000-8000-000000000001', 'after'],
  ['before=2026-01-01T00:00:00Z', 'before'],
  ['any=a b c d e f g h i', 'any'],
];

test('an invalid wait is 422 that names the field, at once', async (t) => {
  const app = await setUp(t);
  for (const [query, field] of invalid) {
    const { status, json } = await app.request(`GET /api/updates?${query.replaceAll(' ', '%20')}`);
    assert.equal(status, 422, query);
    assert.equal(json.errors[0].path, field, query);
    assert.ok(json.detail.startsWith(`${field} `), json.detail);
  }
  assert.equal(app.workspace.waiters.size, 0);
});

for (const [way, call] of Object.entries(WAYS)) {
  test(`over ${way} a wait for posts of which none is known ends at once, and names them`, async (t) => {
    const app = await setUp(t);
    const posts = ['post_019c9a31-6400-7000-8000-999999999999', 'post_1'];
    for (const view of ['full', 'threads'] as const) {
      const answer = await call(app, { posts, view, waitSeconds: 240 });
      assert.deepEqual([answer['unknownPosts'], answer['timedOut']], [posts, false]);
    }
  });

  test(`over ${way} a cursor ahead of the store is read as its latest timestamp, and the result says so`, async (t) => {
    const app = await setUp(t, { limits: NO_LIMITS });
    const { createdAt } = await post(app, 'the newest');
    const ahead = { after: '2999-01-01T00:00:00Z' };
    const now = await call(app, { ...ahead, waitSeconds: 0 });
    assert.deepEqual([now.messages, now.nextAfter, now['afterWasAhead']], [[], createdAt, true]);
    const inTime = await call(app, { after: createdAt, waitSeconds: 0 });
    assert.deepEqual([inTime.nextAfter, inTime['afterWasAhead']], [createdAt, undefined]);
    const waiting = call(app, { ...ahead, waitSeconds: 60 });
    await untilWaiting(app, 1);
    // A call registers before its first read, whose latest timestamp it takes. This read shares it or comes later.
    await call(app, { ...ahead, waitSeconds: 0 });
    const { id } = await post(app, 'news');
    const answer = await waiting;
    const seen = [answer.messages.map((message) => message.id), answer['afterWasAhead'], answer['timedOut']];
    assert.deepEqual(seen, [[id], true, false]);
  });
}

test('the response to a wait is never stored, has no ETag, and HEAD does not wait', async (t) => {
  const app = await setUp(t);
  const { headers } = await app.request('GET /api/updates?after=2000-01-01T00:00:00Z&limit=1');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers.etag, undefined);
  assert.match(headers['link'] as string, /\/api\/updates\?after=[^>]+&limit=1>; rel="next"$/);
  const register = t.mock.method(app.workspace.waiters, 'register');
  for (const name of ['wait', 'waitSeconds']) {
    const head = await app.request(`HEAD /api/updates?${name}=20`);
    assert.deepEqual([head.status, head.text, head.headers['cache-control']], [200, '', 'no-store']);
  }
  assert.equal(register.mock.callCount(), 0);
});

const WAIT = 'GET /api/updates?wait=240';

test('of one network 50 calls wait, the next one is 429 with Retry-After, and has room when one ends', async (t) => {
  const app = await setUp(t, { limits: NO_LIMITS }, BEHIND_PROXY);
  const crowd = forwardedFor('192.0.2.1');
  const open = Array.from({ length: 50 }, () => openCall(t, app, WAIT, { headers: crowd }));
  await untilWaiting(app, 50);
  // A call registers before its first read and takes a place after it. This read shares theirs, and ends later.
  await app.request('GET /api/updates', { headers: crowd });
  const refused = await app.request('GET /api/updates?wait=1', { headers: crowd });
  assert.equal(refused.status, 429);
  assert.deepEqual([refused.json.limit, refused.header('Retry-After')], ['waitsPerNetwork', '60']);
  const overMcp = await callOverMcp(app, 'wait_for_messages', { waitSeconds: 30 }, crowd);
  assert.deepEqual([overMcp.code, overMcp.limit], ['rate_limited', 'waitsPerNetwork']);
  // A call that has its answer at once does not wait.
  const newest = await app.request('GET /api/updates?wait=9&after=2000-01-01T00:00:00Z', { headers: crowd });
  assert.equal(newest.status, 200);
  open[0]!.close();
  await untilWaiting(app, 49);
  const other = app.request('GET /api/updates?wait=60', { headers: crowd });
  await untilWaiting(app, 50);
  await post(app, 'news');
  assert.equal((await other).status, 200);
  assert.equal(app.workspace.waiters.size, 0);
});

test('a client that goes away while it waits is released', async (t) => {
  const app = await setUp(t);
  const Accept = 'application/json, text/event-stream';
  const params = { name: 'wait_for_messages', arguments: { waitSeconds: 240 }, _meta: META_2026 };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  for (const [line, options] of [
    [WAIT, {}],
    ['POST /mcp', { headers: { Accept, ...HEADERS_2026 }, body }],
    ['POST /mcp', { headers: { Accept, ...ENCODED_2026 }, body }],
  ] as const) {
    const { close } = openCall(t, app, line, options);
    await untilWaiting(app, 1);
    close();
    await untilWaiting(app, 0);
  }
});

interface Ended {
  readonly type: string | undefined;
  readonly buffering: unknown;
  readonly text: string;
}

/** Sends a call that waits, and reads its response piece by piece. `close` closes its connection. */
function openCall(
  t: TestContext,
  app: TestApp,
  line: string,
  options: { headers?: Record<string, string>; body?: object } = {},
) {
  const [method = '', path = ''] = line.split(' ');
  const headers = { 'Content-Type': 'application/json', ...options.headers };
  const pieces: string[] = [];
  const outgoing = openRequest(app.url + path, { method, headers, agent: false });
  const ended = new Promise<Ended>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      response.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
      response.once('end', () => {
        const { 'content-type': type, 'x-accel-buffering': buffering } = response.headers;
        resolve({ type, buffering, text: pieces.join('') });
      });
    });
  });
  // Of a call that the test closes.
  ended.catch(() => undefined);
  outgoing.end(options.body && JSON.stringify(options.body));
  t.after(() => outgoing.destroy());
  return { pieces, ended, close: () => outgoing.destroy() };
}

async function untilPieces(pieces: readonly string[], count: number): Promise<void> {
  await waitUntil(() => pieces.length >= count);
}

test('a wait of more than 25 seconds over REST sends a blank every 15 seconds before its JSON', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const app = await setUp(t, { limits: NO_LIMITS });
  const { pieces, ended } = openCall(t, app, 'GET /api/updates?wait=26');
  await untilWaiting(app, 1);
  for (const count of [1, 2]) {
    t.mock.timers.tick(15_000);
    await untilPieces(pieces, count);
  }
  await post(app, 'late news');
  const { type, buffering, text } = await ended;
  assert.deepEqual([type, buffering], ['application/json; charset=utf-8', 'no']);
  assert.ok(text.startsWith('  {'));
  assert.equal(JSON.parse(text).messages[0].message, 'late news');
});

test('a read that fails while a call waits ends it with the cursor as it was', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const app = await setUp(t, { limits: NO_LIMITS });
  const { createdAt } = await post(app, 'the newest');
  const { pieces, ended } = openCall(t, app, WAIT);
  await untilWaiting(app, 1);
  t.mock.timers.tick(15_000);
  await untilPieces(pieces, 1);
  const { read } = app.store;
  const news = t.mock.method(read, 'news', () => Promise.reject(new Error('the database is away')));
  await post(app, 'unread');
  const { messages, timedOut, nextAfter } = JSON.parse((await ended).text);
  assert.deepEqual({ messages, timedOut, nextAfter }, { messages: [], timedOut: true, nextAfter: createdAt });
  news.mock.restore();
  const next = await app.request(`GET /api/updates?after=${nextAfter}`);
  assert.equal(next.json.messages[0].message, 'unread');
});

for (const [revision, params, headers] of [
  ['with a handshake', {}, {}],
  ['of 2026', META_2026, HEADERS_2026],
] as const) {
  test(`a long wait over MCP ${revision} is a stream with progress and the response at its end`, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const app = await setUp(t, { limits: NO_LIMITS });
    const message = (progressToken?: string) => ({
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: {
        name: 'wait_for_messages',
        arguments: { waitSeconds: 240, view: 'full' },
        _meta: { ...params, ...(progressToken !== undefined && { progressToken }) },
      },
    });
    const accept = { ...headers, Accept: 'application/json, text/event-stream' };
    const silent = openCall(t, app, 'POST /mcp', { headers: accept, body: message() });
    const noted = openCall(t, app, 'POST /mcp', { headers: accept, body: message('a token') });
    const plain = openCall(t, app, 'POST /mcp', {
      headers: { ...headers, Accept: 'application/json, text/event-stream;q=0' },
      body: message('a token'),
    });
    await untilWaiting(app, 3);
    t.mock.timers.tick(15_000);
    await untilPieces(silent.pieces, 1);
    await untilPieces(noted.pieces, 1);
    // Readers of lines such as `str.splitlines` of Python cut at these characters.
    const last = 'at\u2028la\u2029s\u0085t';
    await post(app, last);
    const eventsOf = ({ text }: { text: string }) =>
      [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json));
    const [quiet, withProgress, json] = await Promise.all([silent.ended, noted.ended, plain.ended]);
    assert.match(quiet.type!, /^text\/event-stream/);
    assert.equal(quiet.buffering, 'no');
    assert.match(quiet.text, /^: waiting\n\nevent: message\ndata: /);
    assert.doesNotMatch(quiet.text, /[\u0085\u2028\u2029]/);
    const [progress, response] = eventsOf(withProgress);
    assert.deepEqual(progress, {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'a token', progress: 15, total: 240 },
    });
    assert.equal(response.id, 7);
    assert.equal(response.result.structuredContent.messages[0].message, last);
    assert.deepEqual(eventsOf(quiet), [response]);
    assert.match(json.type!, /^application\/json/);
    assert.deepEqual(JSON.parse(json.text), response);
  });
}
