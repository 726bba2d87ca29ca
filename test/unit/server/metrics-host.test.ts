import assert from 'node:assert/strict';
import test from 'node:test';
import { isMetricsHost } from '#server/metrics.ts';
import { startMetricsServer } from '#server/metrics.ts';
import { sendBytes } from '../../support/http/send-request.ts';

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
  const store = { read: { totals: () => Promise.reject(new Error('away')) } };
  const health = async () => ({ writable: true, notifying: true });
  const metrics = await startMetricsServer(
    { store, health, version: '1' },
    { host: '127.0.0.1', port: 0, allowedHosts: ['scraped.example.org'] },
  );
  t.after(() => {
    metrics.stop();
  });
  const statusOf = async (head: string): Promise<string> =>
    (await sendBytes(metrics.url, `${head}Connection: close\r\n\r\n`)).slice(9, 12);
  assert.equal(await statusOf('GET /metrics HTTP/1.1\r\nHost: evil.example\r\n'), '403');
  assert.equal(await statusOf('GET / HTTP/1.1\r\nHost: evil.example\r\n'), '403');
  assert.equal(await statusOf('GET /metrics HTTP/1.1\r\nHost: scraped.example.org\r\n'), '200');
  assert.equal(await statusOf('GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n'), '200');
  assert.equal(await statusOf('GET /metrics HTTP/1.0\r\n'), '200');
});
