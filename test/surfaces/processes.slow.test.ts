import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keyFor } from '../support/author-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { launchOverStdio, post, startProduct } from '../support/product.ts';

interface FeedBody {
  nextBefore: string | null;
  messages: { id: string; message: string; createdAt: string }[];
}

/** The whole feed, newest first, over REST. */
async function readAll(url: string): Promise<FeedBody['messages']> {
  const all: FeedBody['messages'] = [];
  for (let before = ''; ; ) {
    const page = (await (await fetch(`${url}/api/feed?limit=100${before}`)).json()) as FeedBody;
    all.push(...page.messages);
    if (page.nextBefore === null) return all;
    before = `&before=${encodeURIComponent(page.nextBefore)}`;
  }
}

it('the 25th post in an hour is refused through any surface of any process', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test) };
  const http = await startProduct(settings);
  const { client } = await launchOverStdio(settings);
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => (await post(http.url, `${n}`)).status),
  );
  const outcome = await Promise.all(
    Array.from(
      { length: 30 },
      async (_, n) =>
        (await client.callTool({ name: 'post_message', arguments: { message: `s${n}` } })).isError === true,
    ),
  );
  const stored =
    statuses.filter((status) => status === 201).length + outcome.filter((refused) => !refused).length;
  assert.equal(stored, 24);
  assert.equal((await readAll(http.url)).length, 24);
  await client.close();
  await http.end('SIGTERM');
});

it('SIGTERM under load ends cleanly with everything acknowledged on disk', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test), FEED_POSTS_PER_HOUR: '0' };
  const first = await startProduct(settings);
  let acknowledged = 0;
  const writes = Array.from({ length: 200 }, async (_, n) => {
    const response = await post(first.url, `${n}`);
    if (response.status === 201) acknowledged += 1;
  });
  await Promise.race(writes);
  assert.equal(await first.end('SIGTERM'), 0);
  await Promise.allSettled(writes);
  const second = await startProduct(settings);
  assert.equal((await readAll(second.url)).length, acknowledged);
  assert.ok(!/"level":[56]0/.test(first.log() + second.log()));
  await second.end('SIGTERM');
});

it('neither logs nor metrics hold an author key, wherever it is sent', async (test) => {
  const settings = { DATA_DIR: await temporaryFolder(test), LOG_LEVEL: 'trace', METRICS_PORT: '0' };
  const product = await startProduct(settings);
  const key = keyFor('Alder');
  const send = (path: string, body?: object, headers = {}): Promise<Response> =>
    fetch(`${product.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const answers = await Promise.all([
    send('/api/feed', { message: 'x', authorKey: key }),
    send('/api/feed', { message: key }),
    send('/api/feed', { message: 'x', [key]: key }),
    send('/api/feed', { message: 'x' }, { 'Idempotency-Key': key }),
    send('/api/reports', { id: key, reason: 'other' }),
    send(`/api/feed?authorKey=${key}`),
    ...['/api/start', '/api/updates?wait=1', '/api/feed', '/nothing', '/rss'].map((path) =>
      send(path, undefined, { Authorization: `Bearer ${key}` }),
    ),
    send('/api/start', undefined, { Authorization: `Bearer ${key}0` }),
    send('/api/feed', { message: 'y' }, { Authorization: `Bearer ${key}` }),
    send('/api/feed', { message: 'y', authorKey: keyFor('Birch') }, { Authorization: `Bearer ${key}` }),
    send(`/feed?q=${key.toLowerCase()}`),
    send(`/${key}`),
    send('/', undefined, { 'User-Agent': key, Referer: `http://a.example/${key}`, Origin: `http://${key}` }),
    ...[key, 'get_started', 'wait_for_messages'].map((name) => {
      const params = { name, arguments: name === key ? {} : { authorKey: key, waitSeconds: 1 } };
      return send('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    }),
  ]);
  const metrics = await fetch(/http:[^"]+\/metrics/.exec(product.log())![0]);
  const texts = await Promise.all([...answers, metrics].map((answer) => answer.text()));
  await product.end('SIGTERM');
  const headers = answers.map((answer) => JSON.stringify([...answer.headers]));
  for (const text of [...texts, ...headers, product.log()])
    assert.doesNotMatch(text.replaceAll(/[^\da-z]/gi, ''), new RegExp(key.replaceAll('-', ''), 'i'));
});

it('logs hold neither a post text nor an address', async (test) => {
  const product = await startProduct({ DATA_DIR: await temporaryFolder(test), LOG_LEVEL: 'trace' });
  await post(product.url, 'a text that nobody logs');
  await fetch(`${product.url}/api/feed`, { headers: { 'X-Forwarded-For': '203.0.113.9' } });
  await product.end('SIGTERM');
  assert.match(product.log(), /X-Forwarded-For/);
  assert.doesNotMatch(product.log(), /nobody logs|203\.0\.113\.9/);
});
