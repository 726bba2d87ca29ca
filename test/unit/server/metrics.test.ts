import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import test, { type TestContext } from 'node:test';
import { isMetricsHost, startMetricsServer } from '#server/metrics.ts';
import { openFolderStore } from '#store/folder/folder-store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { listen } from '../../support/http/listen.ts';
import { sendBytes } from '../../support/http/send-request.ts';
import { post, type Product, startProduct } from '../../support/product.ts';
import { freeze, thaw } from '../../support/store/writes.ts';

/** Of a server that has nothing to do, and whose store cannot be read. */
const IDLE = {
  store: { read: { totals: () => Promise.reject(new Error('away')) } },
  health: async () => ({ writable: false, notifying: false }),
  version: '1',
  server: createHttpServer(),
  paths: [],
  waiters: { size: 0, wakes: 0 },
  gate: { counts: { running: 0, waiting: 0, refused: 0, dropped: 0 } },
  compressor: { counts: { running: 0, skipped: 0 } },
};

const SETTINGS = { METRICS_PORT: '0', LOG_LEVEL: 'info' };

function metricsOf({ log }: Product): string {
  return /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(log())![0];
}

test('/metrics counts requests by path and status, on its own port and without texts, addresses or ids', async (t) => {
  const product = await startProduct({ ...SETTINGS, DATA_DIR: await temporaryFolder(t) });
  assert.equal((await post(product.url, 'a text that nobody else has')).status, 201);
  for (const path of ['/api/feed', '/api/feed?limit=2', '/api/posts/post_x', '/made-up/1', '/made-up/2'])
    await fetch(product.url + path);
  const response = await fetch(metricsOf(product));
  const text = await response.text();
  assert.match(response.headers.get('Content-Type')!, /^text\/plain; version=/);
  for (const line of [
    'porchlight_http_requests_total{method="POST",path="/api/feed",status="201"} 1',
    'porchlight_http_requests_total{method="GET",path="/api/feed",status="200"} 2',
    'porchlight_http_requests_total{method="GET",path="/api/posts/{postId}",status="404"} 1',
    'porchlight_http_requests_total{method="GET",path="other",status="404"} 2',
    'porchlight_http_request_duration_seconds_count{path="/api/feed"} 3',
    'porchlight_store_writable 1',
    'porchlight_visible{kind="posts"} 1',
  ])
    assert.ok(text.includes(`${line}\n`), line);
  assert.match(text, /^porchlight_http_connections \d+$/m);
  assert.match(text, /^porchlight_search_index_bytes \d+$/m);
  assert.match(text, /^porchlight_process_resident_memory_bytes \d+$/m);
  assert.doesNotMatch(text, /nobody else has|127\.0\.0\.1|post_0/);
  assert.equal((await fetch(`${product.url}/metrics`)).status, 404);
  assert.equal((await fetch(metricsOf(product).replace('/metrics', '/'))).status, 404);
  assert.equal(await product.end('SIGTERM'), 0);
});

test('porchlight_store_writable is 0 while an operator has frozen writing, and 1 again after the thaw', async (t) => {
  const folder = await temporaryFolder(t);
  const product = await startProduct({ ...SETTINGS, DATA_DIR: folder });
  const operator = await openFolderStore({
    folder,
    clock: { now: () => Date.now() },
    report: () => undefined,
  });
  t.after(() => operator.close());
  const isWritable = async () =>
    /^porchlight_store_writable (\d)$/m.exec(await (await fetch(metricsOf(product))).text())?.[1];
  await freeze(operator);
  assert.equal(await isWritable(), '0');
  assert.equal((await fetch(`${product.url}/healthz`)).status, 200);
  await thaw(operator);
  assert.equal(await isWritable(), '1');
  assert.equal(await product.end('SIGTERM'), 0);
});

test('the server does not start if METRICS_PORT is taken, and prints EADDRINUSE', async (t) => {
  const { port } = new URL(await listen(t, createServer()));
  const settings = { METRICS_PORT: port, DATA_DIR: await temporaryFolder(t) };
  await assert.rejects(startProduct(settings), /EADDRINUSE/);
});

async function startMetrics(t: TestContext, allowedHosts: string[] = []) {
  const metrics = await startMetricsServer({ host: '127.0.0.1', port: 0, allowedHosts });
  t.after(() => {
    metrics.stop();
  });
  return metrics;
}

test('while a database cannot be read /metrics reports it as not writable, and omits only the record counts', async (t) => {
  const metrics = await startMetrics(t);
  metrics.watch(IDLE);
  const response = await fetch(metrics.url);
  const text = await response.text();
  assert.equal(response.status, 200);
  assert.match(text, /^porchlight_store_writable 0$/m);
  assert.match(text, /^porchlight_store_notifying 0$/m);
  assert.doesNotMatch(text, /porchlight_visible\{/);
  // Only a folder keeps the index of words in memory.
  assert.doesNotMatch(text, /search_index_bytes/);
  assert.match(text, /porchlight_process_cpu/);
});

test('while the server starts /metrics answers 503 and says so', async (t) => {
  const metrics = await startMetrics(t);
  const response = await fetch(metrics.url);
  assert.deepEqual([response.status, response.headers.get('Retry-After')], [503, '1']);
  assert.equal(await response.text(), 'The server is starting: try again in a second.\n');
});

const NAMES = ['0.0.0.0', 'porchlight.internal.example.org', 'with-port.example.org:9464'];

const hosts: [header: string | undefined, allowed: boolean][] = [
  [undefined, true],
  ['localhost:9464', true],
  ['LOCALHOST', true],
  ['127.0.0.1:9464', true],
  ['10.1.2.3', true],
  ['[::1]:9464', true],
  ['[2001:db8::1]', true],
  ['porchlight-1:9464', true],
  ['porchlight.internal.example.org:9464', true],
  ['Porchlight.Internal.example.org', true],
  ['with-port.example.org:9464', true],
  ['with-port.example.org', false],
  ['rebind.evil.example', false],
  ['rebind.evil.example:9464', false],
  ['127.0.0.1.evil.example', false],
  ['evil.example.', false],
  ['evil.example#@127.0.0.1', false],
  ['evil.example\\@127.0.0.1', false],
  ['', false],
  ['a b', false],
  ['[::1', false],
];

for (const [header, allowed] of hosts)
  test(`the Host ${header ?? '(absent)'} is ${allowed ? 'allowed' : 'refused'} for metrics`, () => {
    assert.equal(isMetricsHost(header, NAMES), allowed);
  });

test('the metrics server answers 403 to a foreign Host on every path', async (t) => {
  const metrics = await startMetrics(t, ['scraped.example.org']);
  metrics.watch(IDLE);
  const statusOf = async (head: string): Promise<string> =>
    (await sendBytes(metrics.url, `${head}Connection: close\r\n\r\n`)).slice(9, 12);
  assert.equal(await statusOf('GET /metrics HTTP/1.1\r\nHost: evil.example\r\n'), '403');
  assert.equal(await statusOf('GET / HTTP/1.1\r\nHost: evil.example\r\n'), '403');
  assert.equal(await statusOf('GET /metrics HTTP/1.1\r\nHost: scraped.example.org\r\n'), '200');
  assert.equal(await statusOf('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n'), '200');
  assert.equal(await statusOf('GET /metrics HTTP/1.0\r\n'), '200');
});
