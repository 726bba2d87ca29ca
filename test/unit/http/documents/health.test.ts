import assert from 'node:assert/strict';
import test from 'node:test';
import { callOverMcp, setUp } from '../../../support/http/setting.ts';
import { assertClean, assertProblem } from '../../../support/http/problem.ts';

test('/healthz is { status, writable, frozen, version } while writes are durable', async (t) => {
  const { ask } = await setUp(t);
  const response = await ask('GET /healthz');
  assert.equal(response.text, '{"status":"ok","writable":true,"frozen":false,"version":"0.0.0"}');
  assert.deepEqual([response.status, response.header('Cache-Control')], [200, 'no-store']);
});

const FAILING = { writable: false, frozen: false, code: 'storage_unavailable' } as const;

test('/healthz is 200 with writable false while an operator has frozen writing', async (t) => {
  const { ask } = await setUp(t, { frozen: true });
  const response = await ask('GET /healthz');
  assert.equal(response.status, 200);
  assert.equal(response.text, '{"status":"ok","writable":false,"frozen":true,"version":"0.0.0"}');
});

test('/healthz is 200 with the code storage_full while STORE_MAX_BYTES is reached', async (t) => {
  const { ask } = await setUp(t, { storeMaxBytes: 1 });
  const response = await ask('GET /healthz');
  assert.equal(response.status, 200);
  assert.equal(
    response.text,
    '{"status":"ok","writable":false,"frozen":false,"code":"storage_full","version":"0.0.0"}',
  );
});

test('/healthz is never 304, whatever the other side has', async (t) => {
  const { ask } = await setUp(t);
  assert.equal((await ask('GET /healthz', { headers: { 'If-None-Match': '*' } })).status, 200);
});

test('/healthz is 503 while writes cannot be made durable, with the reason for callers on this machine', async (t) => {
  const { ask } = await setUp(t, {}, { health: async () => ({ ...FAILING, reason: 'the disk is full' }) });
  const response = await ask('GET /healthz');
  assertProblem(response, 503, 'storage_unavailable');
  assert.equal(
    response.json.detail,
    'Reads are served, but writes cannot be made durable: the disk is full.',
  );
  assert.deepEqual(
    [response.json.writable, response.json.version, response.header('Retry-After')],
    [false, '0.0.0', '5'],
  );
  assert.equal((await ask('HEAD /healthz')).status, 503);
});

for (const [name, value] of [
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Real-IP', '203.0.113.9'],
  ['Forwarded', 'for=203.0.113.9'],
  ['Via', '1.1 cache'],
] as const) {
  test(`/healthz gives the code without the reason to a request with ${name}`, async (t) => {
    const { ask } = await setUp(t, {}, { health: async () => ({ ...FAILING, reason: 'the disk is full' }) });
    const response = await ask('GET /healthz', { headers: { [name]: value } });
    assertProblem(response, 503, 'storage_unavailable');
    assert.doesNotMatch(response.text, /disk/);
  });
}

for (const [disk, code] of [
  ['fails', 'storage_unavailable'],
  ['forgets', 'storage_outcome_unknown'],
] as const) {
  test(`a write where the disk ${disk} is 503 ${code} with Retry-After, and reads go on`, async (t) => {
    const setting = await setUp(t, { disk });
    const response = await setting.ask('POST /api/feed', { body: { message: 'x' } });
    assertProblem(response, 503, code);
    assert.deepEqual([response.header('Retry-After'), response.json.retryAfterSeconds], ['5', 5]);
    assert.equal((await callOverMcp(setting, 'post_message', { message: 'x' })).code, code);
    assert.equal((await setting.ask('GET /api/feed')).json.totals.messages, 5);
    assert.equal(setting.house.faults.length, 2);
  });
}

test('a bug is 500 with fixed text and a log reference, on every door', async (t) => {
  const setting = await setUp(t);
  const { read } = setting.store;
  read.totals = () => Promise.reject(new Error('zebra at /srv/house/src/x.ts:1:1'));
  for (const path of ['/api/feed', '/api/start', '/']) {
    const response = await setting.ask(`GET ${path}`);
    assertProblem(response, 500, 'internal');
    assert.equal(response.json.instance, 'urn:uuid:00000000-0000-4000-8000-000000000000');
  }
  const { json, text } = await setting.rpc('tools/call', { name: 'read_feed', arguments: {} });
  assert.equal(JSON.parse(json.result.content[0].text).code, 'internal');
  assertClean(text);
  assert.equal(setting.house.faults.length, 4);
});

test('a bug at /mcp itself is a JSON-RPC internal error', async (t) => {
  const { rpc, house } = await setUp(
    t,
    {},
    {
      mcp: {
        protocolVersions: [],
        isMessage: () => true,
        namesRevision: () => true,
        isStream: () => false,
        readCall: () => undefined,
        handle: () => Promise.reject(new Error('zebra')),
      },
    },
  );
  const response = await rpc('ping');
  assert.deepEqual([response.status, response.json.id, response.json.error.code], [500, null, -32603]);
  assertClean(response.text);
  assert.equal(house.faults.length, 1);
});
