import assert from 'node:assert/strict';
import test from 'node:test';
import { setUp } from '../../../support/http/test-app.ts';
import { assertClean, assertProblem } from '../../../support/http/problem.ts';

for (const [state, conditions, members] of [
  ['writes are durable', {}, '"writable":true,"frozen":false,"notifying":true'],
  ['an operator has frozen writing', { frozen: true }, '"writable":false,"frozen":true,"notifying":true'],
  [
    'STORE_MAX_BYTES is reached',
    { storeMaxBytes: 1 },
    '"writable":false,"frozen":false,"notifying":true,"code":"storage_full"',
  ],
] as const)
  test(`/healthz is 200 while ${state}, and says so`, async (t) => {
    const { request } = await setUp(t, conditions);
    const response = await request('GET /healthz');
    assert.equal(response.text, `{"status":"ok",${members},"version":"0.0.0"}`);
    assert.deepEqual([response.status, response.header('Cache-Control')], [200, 'no-store']);
  });

const FAILING = {
  writable: false,
  frozen: false,
  code: 'storage_unavailable',
  reason: 'the disk is full',
  notifying: true,
  clockBehind: false,
} as const;

test('/healthz is 503 while writes cannot be made durable, with the reason for callers on this machine', async (t) => {
  const { request } = await setUp(t, {}, { health: async () => FAILING });
  const response = await request('GET /healthz');
  assertProblem(response, 503, 'storage_unavailable');
  const detail = 'Reads work, but the store cannot make writes durable: the disk is full.';
  assert.equal(response.json.detail, detail);
  assert.deepEqual(
    [response.json.writable, response.json.notifying, response.json.version, response.header('Retry-After')],
    [false, true, '0.0.0', '5'],
  );
  assert.equal((await request('HEAD /healthz')).status, 503);
});

for (const [name, value] of [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '203.0.113.9'],
  ['Forwarded', 'for=203.0.113.9'],
  ['Via', '1.1 cache'],
] as const) {
  test(`/healthz gives the code without the reason to a request with ${name}`, async (t) => {
    const { request } = await setUp(t, {}, { health: async () => FAILING });
    const response = await request('GET /healthz', { headers: { [name]: value } });
    assertProblem(response, 503, 'storage_unavailable');
    assert.doesNotMatch(response.text, /disk/);
  });
}

test('an unexpected error is 500 with a fixed text and a log reference, over REST and MCP', async (t) => {
  const app = await setUp(t);
  const { read } = app.store;
  read.totals = () => Promise.reject(new Error('zebra at /srv/porchlight/src/x.ts:1:1'));
  for (const path of ['/api/feed', '/api/start', '/']) {
    const response = await app.request(`GET ${path}`);
    assertProblem(response, 500, 'internal');
    assert.equal(response.json.instance, 'urn:uuid:00000000-0000-4000-8000-000000000000');
  }
  const { json, text } = await app.rpc('tools/call', { name: 'read_feed', arguments: {} });
  assert.equal(JSON.parse(json.result.content[0].text).code, 'internal');
  assertClean(text);
  assert.equal(app.faults.length, 4);
});

test('an unexpected error of the MCP endpoint is a JSON-RPC internal error', async (t) => {
  const { rpc, faults } = await setUp(
    t,
    {},
    {
      mcp: {
        protocolVersions: [],
        invalidMessage: '',
        parse: (body) => ({
          body,
          isUsual: true,
          mayWait: false,
          isStream: false,
          needsVersionHeader: false,
        }),
        respond: () => Promise.reject(new Error('zebra')),
      },
    },
  );
  const response = await rpc('ping');
  assert.deepEqual([response.status, response.json.id, response.json.error.code], [500, null, -32603]);
  assertClean(response.text);
  assert.equal(faults.length, 1);
});

test('/healthz says that the clock is behind the newest record', async (t) => {
  const health = { ...FAILING, writable: true, code: null, reason: null, clockBehind: true };
  const { request } = await setUp(t, {}, { health: async () => health });
  assert.equal((await request('GET /healthz')).json.clockBehind, true);
});
