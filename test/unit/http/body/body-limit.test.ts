import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as startRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createRequestHandler } from '#http/request-handler.ts';
import { REQUEST_BOUNDS } from '#http/responses/problem.ts';
import type { AppOverrides } from '../../../support/http/app.ts';
import { assertProblem, assertRpcProblem } from '../../../support/http/problem.ts';
import {
  NO_LIMITS,
  forwardedFor,
  MCP_ACCEPT,
  BEHIND_PROXY,
  setUp,
  visibleIds,
} from '../../../support/http/test-app.ts';
import { thoroughTest } from '../../../support/thorough.ts';
import { closed, waitUntil } from '../../../support/wait-until.ts';

const TIMEOUT = { timeout: 20_000 };
const CLIENT = forwardedFor('192.0.2.1');

/** Starts an app that allows each client two bodies of the largest size at once. */
async function startServer(t: TestContext) {
  const app = await startCounting(t, { ...BEHIND_PROXY, maxBytesPerClient: 2 * REQUEST_BOUNDS.bodyBytes });
  /** Sends the headers of a post without its body. */
  const begin = async (length: string, address = '192.0.2.1', path = '/api/feed'): Promise<Socket> => {
    const { port } = new URL(app.url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    t.after(() => socket.destroy());
    await once(socket, 'connect');
    const { localPort } = socket;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Forwarded-For: ${address}\r\n` +
        `Accept: ${MCP_ACCEPT.Accept}\r\n${length}\r\n\r\n`,
    );
    await waitUntil(() => [...app.sockets].some(({ remotePort }) => remotePort === localPort));
    return socket;
  };
  const post = (headers: Record<string, string> = CLIENT) =>
    app.request('POST /api/feed', { headers, body: { message: 'hello' } });
  return { ...app, begin, post };
}

const LARGEST = `Content-Length: ${REQUEST_BOUNDS.bodyBytes}`;

for (const [bodies, length] of Object.entries({
  'announced bodies': LARGEST,
  'bodies without a length': 'Transfer-Encoding: chunked',
})) {
  test(`${bodies} over the limit of a client are 429 and close the connection`, TIMEOUT, async (t) => {
    const { begin, post, request, store } = await startServer(t);
    await begin(length);
    await begin(length, '192.0.2.1', '/mcp');
    const before = (await visibleIds(store)).length;
    const response = await post();
    assertProblem(response, 429, 'rate_limited');
    const seen = [response.json.limit, response.header('Retry-After'), response.header('Connection')];
    assert.deepEqual(seen, ['bodyBytesPerNetwork', '5', 'close']);
    assertProblem(await post({ ...CLIENT, 'X-Other': 'not of the other posts' }), 429, 'rate_limited');
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const overMcp = await request('POST /mcp', { headers: { ...MCP_ACCEPT, ...CLIENT }, body });
    assertRpcProblem(overMcp, 429, 'rate_limited', -32000);
    assert.equal((await visibleIds(store)).length, before);
    assert.equal((await request('GET /api/feed', { headers: CLIENT })).status, 200);
    assert.equal((await post(forwardedFor('192.0.2.2'))).status, 201);
    assert.equal((await post({})).status, 201);
  });
}

test('bodies that arrived, were refused or lost their connection do not count', TIMEOUT, async (t) => {
  const { begin, post, request } = await startServer(t);
  for (let round = 0; round < 3; round++) {
    const begun = [await begin(LARGEST), await begin(LARGEST)];
    assert.equal((await post()).status, 429);
    for (const socket of begun) socket.resetAndDestroy();
    await waitUntil(async () => (await post()).status !== 429);
  }
  const large = { message: 'x', padding: 'x'.repeat(200_000) };
  for (let n = 0; n < 5; n++) {
    assert.equal((await request('POST /api/feed', { headers: CLIENT, body: large })).status, 201);
    assert.equal((await request('POST /no/such', { headers: CLIENT, body: large })).status, 404);
    const plain = { ...CLIENT, 'Content-Type': 'text/plain' };
    assert.equal((await request('POST /api/feed', { headers: plain, body: large })).status, 415);
    const tooLarge = 'x'.repeat(REQUEST_BOUNDS.bodyBytes + 1);
    assert.equal((await request('POST /api/feed', { headers: CLIENT, body: tooLarge })).status, 413);
  }
});

test('a loopback client may send any number of bodies at once', TIMEOUT, async (t) => {
  const { begin, post } = await startServer(t);
  for (let n = 0; n < 5; n++) await begin(LARGEST, '127.0.0.1');
  assert.equal((await post({})).status, 201);
});

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const TOO_LARGE: [line: string, type: string, statusOfChunked?: number][] = [
  ['POST /api/feed', JSON_TYPE, 413],
  ['POST /api/feed?x', JSON_TYPE, 413],
  ['POST /api/projects/x/notes', JSON_TYPE, 413],
  ['POST /mcp', JSON_TYPE, 413],
  ['POST /mcp/core', JSON_TYPE, 413],
  ['POST /report', FORM_TYPE, 413],
  ['POST /report', 'text/plain', 415],
  ['POST /no/such', JSON_TYPE, 404],
  ['PUT /api/feed', JSON_TYPE, 405],
  ['GET /no/such', JSON_TYPE, 404],
  // Its response may be lost to a client that goes on sending.
  ['GET /api/feed', JSON_TYPE],
];

interface Fed {
  status: number | undefined;
  connection: string | undefined;
  text: string;
}

/** Sends a body without an end with Node's client, until the server closes the connection. */
function feed(url: string, line: string, headers: Record<string, string>, chunk?: Buffer): Promise<Fed> {
  const [method = '', path = ''] = line.split(' ');
  return new Promise((resolve) => {
    let fed: Fed = { status: undefined, connection: undefined, text: '' };
    const outgoing = startRequest(new URL(path, url), { method, headers, agent: false }, (response) => {
      fed = { status: response.statusCode, connection: response.headers.connection, text: '' };
      response.setEncoding('utf8').on('data', (part: string) => (fed.text += part));
    });
    // After the response, the client may still write when the server closes.
    outgoing
      .on('error', () => undefined)
      .on('close', () => {
        resolve(fed);
      });
    const write = (): void => {
      while (chunk !== undefined && !outgoing.destroyed && outgoing.write(chunk));
    };
    outgoing.on('drain', write).flushHeaders();
    write();
  });
}

/** Starts an app. `sockets` are the connections of its requests, each once its headers have been read. */
async function startCounting(t: TestContext, overrides: AppOverrides = {}) {
  const sockets = new Set<Socket>();
  const app = await setUp(t, { limits: NO_LIMITS }, overrides, (options) => {
    const listener = createRequestHandler(options).listener;
    return (request, response) => {
      sockets.add(request.socket);
      listener(request, response);
    };
  });
  return { ...app, sockets };
}

test('a body announced beyond the limit is 413 before it is sent, and closes', TIMEOUT, async (t) => {
  const { url } = await startCounting(t);
  const fed = await Promise.all(
    TOO_LARGE.map(([line, type]) =>
      feed(url, line, { 'Content-Type': type, 'Content-Length': '999999999', Accept: MCP_ACCEPT.Accept }),
    ),
  );
  for (const [index, { status, connection, text }] of fed.entries()) {
    assert.deepEqual([status, connection], [413, 'close'], TOO_LARGE[index]?.[0]);
    assert.match(text, /larger than 256 KiB.*too_large/);
  }
});

thoroughTest('of bodies without an end the server reads no more than the limit', TIMEOUT, async (t) => {
  const { url, sockets } = await startCounting(t);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const feedAll = (length: Record<string, string>) =>
    Promise.all(TOO_LARGE.map(([line, type]) => feed(url, line, { 'Content-Type': type, ...length }, chunk)));
  const [announced, chunked] = await Promise.all([
    feedAll({ 'Content-Length': '999999999' }),
    feedAll({ 'Transfer-Encoding': 'chunked' }),
  ]);
  for (const [index, [line, , statusOfChunked]] of TOO_LARGE.entries())
    for (const [fed, status] of [
      [announced[index], 413],
      [chunked[index], statusOfChunked],
    ] as const)
      if (status !== undefined) assert.deepEqual([fed?.status, fed?.connection], [status, 'close'], line);
  assert.equal(sockets.size, 2 * TOO_LARGE.length);
  for (const socket of sockets) {
    await closed(socket);
    assert.ok(socket.bytesRead < REQUEST_BOUNDS.bodyBytes + 1024 * 1024, String(socket.bytesRead));
  }
});

test('a form over 1 KiB is 413 and closes, one in another charset is 415', TIMEOUT, async (t) => {
  const { request } = await setUp(t);
  const body = 'x'.repeat(1025);
  for (const length of [{ 'Content-Length': '1025' }, { 'Transfer-Encoding': 'chunked' }]) {
    const response = await request('POST /report', {
      headers: { 'Content-Type': FORM_TYPE, ...length },
      body,
    });
    assertProblem(response, 413, 'too_large');
    const seen = [response.header('Connection'), response.json.detail];
    assert.deepEqual(seen, ['close', 'The body is larger than 1 KiB; shorten it.']);
  }
  for (const charset of ['zebra', 'utf-16', 'iso-8859-1', '"', '__proto__']) {
    const headers = { 'Content-Type': `${FORM_TYPE}; charset=${charset}` };
    const status = charset === '"' ? 422 : 415;
    assert.equal((await request('POST /report', { headers, body: 'id=x' })).status, status, charset);
  }
});

const JSON_IN_UTF8 = [
  'application/json',
  'Application/JSON;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=utf8; other=x',
  'application/json;',
  'application/json; __proto__=x',
  // A parameter that does not end is ignored. The body is decoded as UTF-8 in any case.
  'application/json; charset="utf-8',
];

const OTHERS = [
  ...['', 'json', 'text/plain', 'application/jsonp', 'application/json, text/plain', 'application/json/x'],
  ...['application/json; charset=utf-16', 'application/json; charset=utf-8 x'],
];

test('a post is 201 for every spelling of the media type of JSON in UTF-8, and 415 for others', async (t) => {
  const { request } = await setUp(t, { limits: NO_LIMITS });
  for (const [index, type] of JSON_IN_UTF8.entries()) {
    const body = JSON.stringify({ message: `message ${index}` });
    const { status } = await request('POST /api/feed', { body, headers: { 'Content-Type': type } });
    assert.equal(status, 201, type);
  }
  for (const type of OTHERS) {
    const sent = { body: '{"message":"x"}', headers: { 'Content-Type': type } };
    const { status } = await request('POST /api/feed', sent);
    assert.equal(status, 415, type);
  }
});
