import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { StoreFailure } from '#store/port/store.ts';
import { toWorkspaceError } from '#workspace/errors.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { createExpressOnly, startApp } from '../../../support/http/app.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { IDEA, BEHIND_PROXY, forwardedFor, setUp, visibleIds } from '../../../support/http/test-app.ts';
import { sendRequest, type RequestOptions, type HttpResponse } from '../../../support/http/send-request.ts';
import { openTestWorkspace } from '../../../support/context.ts';

const PROJECT = { title: 'Opening hours', summary: 'Of the town libraries.', by: 'a test', url: null };
const FEED = 'POST /api/feed';
const KEY = { 'Idempotency-Key': 'one' };

const deep = (levels: number): string => `{"message":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const WRITES: Readonly<Record<string, [line: string, options: RequestOptions]>> = {
  'a post': [FEED, { body: { message: 'Hello' } }],
  'a post with the text of another': [FEED, { body: { message: 'Hello' } }],
  'a reply': [FEED, { body: { message: 'WORK: I take it', replyTo: IDEA } }],
  'a reply to an unknown post': [FEED, { body: { message: 'x', replyTo: 'post_x' } }],
  'a guest note': ['POST /api/guestbook', { body: { name: 'A', note: 'Hello' } }],
  'a project': ['POST /api/projects', { body: PROJECT }],
  'a project note': [
    'POST /api/projects/project_019c9a31-6400-7000-8000-000000000006/notes',
    { body: { name: 'A', note: 'Hello' } },
  ],
  'a post with a key': [FEED, { headers: KEY, body: { message: 'Once' } }],
  'a replay': [FEED, { headers: KEY, body: { message: 'Once' } }],
  'a replay with the key quoted': [
    FEED,
    { headers: { 'Idempotency-Key': '"one"' }, body: { message: 'Once' } },
  ],
  'another post with that key': [FEED, { headers: KEY, body: { message: 'Twice' } }],
  'a key that is too long': [
    FEED,
    { headers: { 'Idempotency-Key': 'k'.repeat(300) }, body: { message: 'x' } },
  ],
  'two keys': [FEED, { headers: { 'Idempotency-Key': ['one', 'two'] }, body: { message: 'x' } }],
  'a key in the body': [FEED, { body: { message: 'x', idempotencyKey: 'in the body' } }],
  'an unknown field': [FEED, { body: { message: 'x', colour: 'red' } }],
  'a secret': [FEED, { body: { message: `ghp_${'aB3dE6gH9j'.repeat(4)}` } }],
  'no message': [FEED, { body: {} }],
  'an array': [FEED, { body: [] }],
  'a JSON string': [FEED, { body: '"x"' }],
  'a JSON null': [FEED, { body: 'null' }],
  'an empty body': [FEED, { body: '' }],
  'incomplete JSON': [FEED, { body: '{"message":' }],
  'invalid UTF-8': [FEED, { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
  'a byte order mark': [FEED, { body: '\uFEFF{"message":"x"}' }],
  'too many levels': [FEED, { body: deep(40) }],
  'a body over 256 KiB': [FEED, { body: { message: 'x'.repeat(300_000) } }],
  'a message over 8,000 characters': [FEED, { body: { message: 'x'.repeat(8001) } }],
  'a type with the charset UTF-8': [
    FEED,
    { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: { message: 'charset' } },
  ],
  'a type with the charset UTF-16': [
    FEED,
    { headers: { 'Content-Type': 'application/json; charset=utf-16' }, body: { message: 'x' } },
  ],
  'another type': [FEED, { headers: { 'Content-Type': 'text/plain' }, body: '{"message":"x"}' }],
  'a content encoding': [FEED, { headers: { 'Content-Encoding': 'gzip' }, body: { message: 'x' } }],
  'a chunked body': [FEED, { headers: { 'Transfer-Encoding': 'chunked' }, body: { message: 'chunks' } }],
  'a foreign origin': [
    FEED,
    { headers: { Origin: 'https://elsewhere.example' }, body: { message: 'origin' } },
  ],
  'an Accept without JSON': [FEED, { headers: { Accept: 'image/png' }, body: { message: 'accept' } }],
  'a query': ['POST /api/feed?limit=2', { body: { message: 'query' } }],
  'an argument in the query': [`POST /api/feed?replyTo=${IDEA}`, { body: { message: 'misplaced' } }],
  'a trailing slash': ['POST /api/feed/', { body: { message: 'slash' } }],
  'a path in other case': ['POST /api/Feed', { body: { message: 'case' } }],
  'a path of a read': ['POST /api/start', { body: {} }],
};

/** A whole response without its date. */
function whole({ status, headers, text }: HttpResponse) {
  const { date: _, ...more } = headers;
  return { status, headers: more, text };
}

test('a write has the same response and stores the same on the fast path as in Express', async (t) => {
  const [slow, fast] = [await setUp(t, {}, {}, createExpressOnly), await setUp(t)];
  for (const [name, [line, options]] of Object.entries(WRITES)) {
    const response = await slow.request(line, options);
    assert.deepEqual(whole(await fast.request(line, options)), whole(response), name);
  }
  assert.deepEqual(await visibleIds(fast.store), await visibleIds(slow.store));
});

test('a post over its limit is 429 on the fast path as in Express, with the same headers', async (t) => {
  const [slow, fast] = [
    await setUp(t, { limits: { feedPostsPerHour: 3 } }, {}, createExpressOnly),
    await setUp(t, { limits: { feedPostsPerHour: 3 } }),
  ];
  for (let n = 0; n < 5; n++) {
    const options = { body: { message: `${n}` } };
    const response = await fast.request(FEED, options);
    assert.deepEqual(whole(response), whole(await slow.request(FEED, options)));
    assert.equal(response.status, n < 3 ? 201 : 429);
  }
});

for (const [disk, code] of [
  ['fails', 'storage_unavailable'],
  ['forgets', 'storage_outcome_unknown'],
] as const) {
  test(`a write on a disk that ${disk} has the same error on the fast path as in Express`, async (t) => {
    const [express, fast] = [await setUp(t, { disk }, {}, createExpressOnly), await setUp(t, { disk })];
    const response = await fast.request(FEED, { body: { message: 'x' } });
    assertProblem(response, 503, code);
    const slow = await express.request(FEED, { body: { message: 'x' } });
    assert.deepEqual(
      [response.status, response.text, response.header('Retry-After')],
      [slow.status, slow.text, slow.header('Retry-After')],
    );
  });
}

/** Starts an app whose limits cannot be read, so that it cannot make RateLimit headers. */
async function withoutQuotas(t: TestContext, create: typeof createExpressOnly | undefined, disk?: 'forgets') {
  const made = await openTestWorkspace({ folder: await temporaryFolder(t), ...(disk && { disk }) });
  const quotas: Workspace['quotas'] = () =>
    Promise.reject(toWorkspaceError(new StoreFailure('nothing', 'too busy')));
  const app = await startApp({ ...made, workspace: { ...made.workspace, quotas } }, {}, create);
  t.after(async () => {
    await app.close();
    await made.store.close();
  });
  return { ...made, post: () => sendRequest(app.url, FEED, { body: { message: 'x' } }) };
}

for (const [way, create] of [
  ['the fast path', undefined],
  ['Express', createExpressOnly],
] as const) {
  test(`a stored post is 201 without RateLimit headers when the limits cannot be read (${way})`, async (t) => {
    const { status, headers } = await (await withoutQuotas(t, create)).post();
    assert.deepEqual([status, headers['ratelimit']], [201, undefined]);
  });

  test(`a post with unknown outcome is 503 storage_outcome_unknown without RateLimit headers (${way})`, async (t) => {
    const response = await (await withoutQuotas(t, create, 'forgets')).post();
    assertProblem(response, 503, 'storage_outcome_unknown');
    assert.equal(response.headers['ratelimit'], undefined);
  });
}

test('a post is 503 on the fast path while the service is stopping or frozen', async (t) => {
  assertProblem(
    await (await setUp(t, {}, { stopping: () => true })).request(FEED, { body: { message: 'x' } }),
    503,
    'shutting_down',
  );
  assertProblem(
    await (await setUp(t, { frozen: true })).request(FEED, { body: { message: 'x' } }),
    503,
    'frozen',
  );
});

test('the request rate limit counts each post on the fast path once', async (t) => {
  const { request } = await setUp(t, { limits: { requestsPerMinute: 5 } }, BEHIND_PROXY);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) {
    // An invalid post counts once too.
    const body = n % 2 === 0 ? { message: `${n}` } : {};
    statuses.push((await request(FEED, { headers: forwardedFor('192.0.2.9'), body })).status);
  }
  assert.deepEqual(statuses, [201, 422, 201, 422, 201, 429, 429, 429]);
});
