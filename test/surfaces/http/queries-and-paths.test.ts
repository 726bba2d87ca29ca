import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { NO_LIMITS, IDEA, PROJECT, setUp, visibleIds } from '../../support/http/test-app.ts';
import { assertProblem, MARK } from '../../support/http/problem.ts';
import { hide } from '../../support/store/writes.ts';

const { request, store } = await setUp({ after }, { limits: NO_LIMITS });
const HIDDEN = (await request('POST /api/feed', { body: { message: 'soon hidden' } })).json.id as string;
await hide(store, HIDDEN, MARK);
const before = await visibleIds(store);

describe('a request with an invalid query or path is refused', () => {
  const LIMITS = [
    ...['0', '101', '-1', 'abc', '1.5', '%2B5', '0x10', '05', ' 5', '5%00'],
    '9'.repeat(400),
    '5&limit=5',
  ];
  const BEFORES = [
    ...['2026-03-02', '2026-02-30T10:00:00Z', MARK, '2026-03-02T10:00:00Z%00', '%zz'],
    '2026-03-02T10:00:00Z&before=2026-03-02T10:00:00Z',
  ];
  const QUERIES = [...LIMITS.map((limit) => `limit=${limit}`), ...BEFORES.map((text) => `before=${text}`)];
  for (const query of QUERIES) {
    it(`the query ?${query.slice(0, 60)}: 422 invalid_request`, async () => {
      for (const path of ['/api/feed', `/api/posts/${IDEA}`]) {
        assertProblem(await request(`GET ${path}?${query.replaceAll(' ', '%20')}`), 422, 'invalid_request');
      }
      if (query === 'limit=101') return;
      assertProblem(
        await request(`GET /api/guestbook?${query.replaceAll(' ', '%20')}`),
        422,
        'invalid_request',
      );
    });
  }

  const WHOLES = ['whole=1', 'whole=True', 'whole=null', 'whole=true&whole=true'];
  const CURSOR = '2026-03-02T10:00:00Z';
  const THREAD_QUERIES = [
    ...WHOLES,
    `whole=true&before=${CURSOR}`,
    `after=${CURSOR}`,
    `whole=false&after=${CURSOR}`,
    'whole=true&after=2026-03-02',
  ];
  for (const query of THREAD_QUERIES) {
    it(`a thread with the query ?${query}: 422 invalid_request`, async () => {
      const { json } = await request(`GET /api/posts/${IDEA}?${query}`);
      const field = ['before', 'after'].find((name) => query.includes(name)) ?? 'whole';
      assert.deepEqual([json.status, json.code, json.errors[0].path], [422, 'invalid_request', field]);
    });
  }

  const IDS = [
    MARK,
    'post_',
    'project_',
    '__proto__',
    'constructor',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    '%00',
    `${IDEA}%00`,
    '%0d%0aX-Injected:%20zebra',
    `${IDEA}%20`,
    'post_%F0%9F%98%80',
    `post_${'x'.repeat(7000)}`,
    HIDDEN,
    IDEA.toUpperCase(),
  ];
  for (const id of IDS) {
    it(`the id ${id.slice(0, 60)}: 404 not_found`, async () => {
      for (const path of ['/api/posts/', '/api/projects/', '/posts/']) {
        const response = await request(`GET ${path}${id}`);
        // The page gives the reason of the operator, which is no input.
        if (path === '/posts/' && id === HIDDEN)
          assert.deepEqual([response.status, response.json.code], [410, 'gone']);
        else assertProblem(response, 404, 'not_found');
        assert.equal(response.headers['x-injected'], undefined);
      }
      assertProblem(
        await request(`POST /api/projects/${id}/notes`, { body: { name: 'a', note: 'b' } }),
        404,
        'not_found',
      );
      assert.deepEqual(await visibleIds(store), before);
    });
  }

  const ESCAPES: [id: string, named: string][] = [
    ['%', '%'],
    ['%zz', '%'],
    ['%25%41%', '%'],
    ['%E0%A4%A', '%E0%A4'],
    ['%C0%AF', '%C0%AF'],
    ['%41/%ff', '%ff'],
    ['%ff'.repeat(9), '%ff%ff%ff%ff…'],
  ];
  for (const [id, named] of ESCAPES) {
    it(`the path ${id}: 400 malformed_request names ${named}`, async () => {
      for (const path of ['/api/posts/', '/api/projects/', '/posts/', '/', '/api/', '/no/such/']) {
        const response = await request(`GET ${path}${id}`);
        assertProblem(response, 400, 'malformed_request');
        assert.ok(
          response.json.detail.startsWith(`The percent-encoding "${named}" in the path is not UTF-8`),
        );
      }
    });
  }
});

for (const path of ['/api/feed', '/feed', '/feed.xml'])
  test(`${path}?q=caf%E9, which is not UTF-8, is refused by the name of the parameter`, async () => {
    const response = await request(`GET ${path}?q=caf%E9`);
    assertProblem(response, 422, 'invalid_request');
    assert.deepEqual(response.json.errors, [
      { path: 'q', message: 'is not UTF-8: encode each byte of UTF-8 as % and two hex digits' },
    ]);
    assert.equal((await request(`GET ${path}?q=caf%C3%A9`)).status, 200);
  });

test('a write reads its body alone: its receipt names what stands in the query', async (t) => {
  const app = await setUp(t, { limits: NO_LIMITS });
  const SENT: [query: string, ignored: string[], warnings: string[]][] = [
    [`x=1&x=2`, ['?x'], []],
    [`replyTo=${IDEA}`, ['?replyTo'], ['?replyTo was ignored: you probably meant replyTo in the body']],
    [`parent_id=x`, ['?parent_id'], ['?parent_id was ignored: you probably meant replyTo in the body']],
  ];
  for (const [query, ignored, warnings] of SENT) {
    const { status, json } = await app.request(`POST /api/feed?${query}`, { body: { message: 'x' } });
    assert.deepEqual([status, json.parentId, json.ignored], [201, null, ignored], query);
    assert.deepEqual(json.warnings.slice(json.warnings.length - warnings.length), warnings);
  }
  const lost = await app.request('POST /api/feed?message=x', { body: {} });
  assert.deepEqual(lost.json.errors, [
    { path: '?message', message: 'is not an argument of post_message: send it as message in the body' },
    { path: 'message', message: 'is missing: send it' },
  ]);
  const notes = `POST /api/projects/${PROJECT}/notes?projectId=x&name=y`;
  const { status, json } = await app.request(notes, { body: { name: 'a', note: 'b' } });
  assert.deepEqual([status, json.projectId, json.name], [201, PROJECT, 'a']);
  assert.deepEqual(json.ignored, ['?projectId', '?name']);
});
