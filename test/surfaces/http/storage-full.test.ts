import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { assertProblem } from '../../support/http/problem.ts';
import { callOverMcp, PROJECT, setUp, visibleIds, type TestApp } from '../../support/http/test-app.ts';
import { hide, unhide, erase, freeze, thaw } from '../../support/store/writes.ts';

const FEED = 'POST /api/feed';

const WRITES: [line: string, tool: string, body: object][] = [
  [FEED, 'post_message', { message: 'x' }],
  ['POST /api/guestbook', 'sign_guestbook', { name: 'a', note: 'b' }],
  ['POST /api/projects', 'create_project', { title: 'a', summary: 'b', by: 'c' }],
  [`POST /api/projects/${PROJECT}/notes`, 'add_note', { name: 'a', note: 'b' }],
];

/**
 * Starts an app with `freeBytes` below its limit. Every test workspace has the same size, but for a few digits
 * of the random seed of its log; a post is longer than 100 bytes.
 */
async function almostFull(t: TestContext, freeBytes = 100): Promise<TestApp> {
  const { store } = await setUp(t);
  return setUp(t, { storeMaxBytes: (store.sizeInBytes() ?? 0) + freeBytes });
}

test('each write of a full store is 503 storage_full with Retry-After over REST and MCP, and stores nothing', async (t) => {
  const app = await setUp(t, { storeMaxBytes: 1 });
  const before = await visibleIds(app.store);
  for (const [line, tool, body] of WRITES) {
    const response = await app.request(line, { body });
    assertProblem(response, 503, 'storage_full');
    assert.deepEqual([response.header('Retry-After'), response.json.retryAfterSeconds], ['600', 600]);
    const args = tool === 'add_note' ? { ...body, projectId: PROJECT } : body;
    assert.equal((await callOverMcp(app, tool, args)).code, 'storage_full');
  }
  assert.deepEqual(await visibleIds(app.store), before);
  assert.deepEqual(app.faults, []);
});

test('the write that reaches the limit is stored, the next one is refused, and reads continue', async (t) => {
  const { request } = await almostFull(t);
  assert.equal((await request(FEED, { body: { message: 'the last one' } })).status, 201);
  assertProblem(await request(FEED, { body: { message: 'one too many' } }), 503, 'storage_full');
  const { json } = await request('GET /api/feed');
  assert.equal(json.messages[0].message, 'the last one');
  for (const path of ['/', '/feed.xml', '/api/start', '/api/projects', '/api/guestbook'])
    assert.equal((await request(`GET ${path}`)).status, 200, path);
});

test('moderation works while the store is full, and an erasure makes no room in a log', async (t) => {
  const { request, store } = await almostFull(t, 4000);
  const { id } = (await request(FEED, { body: { message: 'x'.repeat(8000) } })).json;
  assertProblem(await request(FEED, { body: { message: 'y' } }), 503, 'storage_full');
  assert.equal(await hide(store, id, 'why'), true);
  assert.equal(await unhide(store, id, 'why'), true);
  assert.equal(await freeze(store), true);
  assertProblem(await request(FEED, { body: { message: 'y' } }), 503, 'frozen');
  assert.equal(await thaw(store), true);
  assertProblem(await request(FEED, { body: { message: 'y' } }), 503, 'storage_full');
  assert.equal(await erase(store, id, 'why'), true);
  assertProblem(await request(FEED, { body: { message: 'y' } }), 503, 'storage_full');
});
