import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { StoreFailure } from '#store/store.ts';
import { toWorkspaceError } from '#workspace/errors.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { expressAlone, openHouse } from '../../../support/http/app.ts';
import { assertProblem } from '../../../support/http/problem.ts';
import { IDEA, PROXIED, from, setUp, visibleIds } from '../../../support/http/setting.ts';
import { askAt, type Asking, type Told } from '../../../support/http/wire.ts';
import { openTestWorkspace } from '../../../support/context.ts';

const PROJECT = { title: 'Opening hours', summary: 'Of the town libraries.', by: 'a test', url: null };
const FEED = 'POST /api/feed';
const KEY = { 'Idempotency-Key': 'one' };

const deep = (levels: number): string => `{"message":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const SENDINGS: Readonly<Record<string, [line: string, asking: Asking]>> = {
  'a post': [FEED, { body: { message: 'Hello' } }],
  'a post that repeats another': [FEED, { body: { message: 'Hello' } }],
  'a reply': [FEED, { body: { message: 'WORK: I take it', replyTo: IDEA } }],
  'a reply to nothing': [FEED, { body: { message: 'x', replyTo: 'post_x' } }],
  'a guest note': ['POST /api/guestbook', { body: { name: 'A', note: 'Hello' } }],
  'a project': ['POST /api/projects', { body: PROJECT }],
  'a project note': [
    'POST /api/projects/project_019c9a31-6400-7000-8000-000000000006/notes',
    { body: { name: 'A', note: 'Hello' } },
  ],
  'a post with a key': [FEED, { headers: KEY, body: { message: 'Once' } }],
  'the same again': [FEED, { headers: KEY, body: { message: 'Once' } }],
  'the same again with the key quoted': [
    FEED,
    { headers: { 'Idempotency-Key': '"one"' }, body: { message: 'Once' } },
  ],
  'another with that key': [FEED, { headers: KEY, body: { message: 'Twice' } }],
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
  'a word': [FEED, { body: '"x"' }],
  null: [FEED, { body: 'null' }],
  nothing: [FEED, { body: '' }],
  'half a JSON': [FEED, { body: '{"message":' }],
  'bytes that are no UTF-8': [FEED, { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
  'a byte order mark': [FEED, { body: '\uFEFF{"message":"x"}' }],
  'levels that are too many': [FEED, { body: deep(40) }],
  'a body that is too large': [FEED, { body: { message: 'x'.repeat(300_000) } }],
  'a message that is too long': [FEED, { body: { message: 'x'.repeat(8001) } }],
  'a type with its charset': [
    FEED,
    { headers: { 'Content-Type': 'application/json; charset=utf-8' }, body: { message: 'charset' } },
  ],
  'a type with another charset': [
    FEED,
    { headers: { 'Content-Type': 'application/json; charset=utf-16' }, body: { message: 'x' } },
  ],
  'another type': [FEED, { headers: { 'Content-Type': 'text/plain' }, body: '{"message":"x"}' }],
  'a content encoding': [FEED, { headers: { 'Content-Encoding': 'gzip' }, body: { message: 'x' } }],
  chunks: [FEED, { headers: { 'Transfer-Encoding': 'chunked' }, body: { message: 'chunks' } }],
  'another origin': [FEED, { headers: { Origin: 'https://elsewhere.example' }, body: { message: 'origin' } }],
  'no type that it accepts': [FEED, { headers: { Accept: 'image/png' }, body: { message: 'accept' } }],
  'a query': ['POST /api/feed?limit=2', { body: { message: 'query' } }],
  'a slash behind': ['POST /api/feed/', { body: { message: 'slash' } }],
  'another case': ['POST /api/Feed', { body: { message: 'case' } }],
  "a reader's address": ['POST /api/start', { body: {} }],
};

/** A whole response without its date. */
function whole({ status, headers, text }: Told) {
  const { date: _, ...more } = headers;
  return { status, headers: more, text };
}

test('a write has the same response and stores the same through the fast path as through Express', async (t) => {
  const [slow, fast] = [await setUp(t, {}, {}, expressAlone), await setUp(t)];
  for (const [name, [line, asking]] of Object.entries(SENDINGS)) {
    const told = await slow.ask(line, asking);
    assert.deepEqual(whole(await fast.ask(line, asking)), whole(told), name);
  }
  assert.deepEqual(await visibleIds(fast.store), await visibleIds(slow.store));
});

test('limits hold on the fast path as in Express, with the same headers', async (t) => {
  const [slow, fast] = [
    await setUp(t, { limits: { feedPostsPerHour: 3 } }, {}, expressAlone),
    await setUp(t, { limits: { feedPostsPerHour: 3 } }),
  ];
  for (let n = 0; n < 5; n++) {
    const asking = { body: { message: `${n}` } };
    const told = await fast.ask(FEED, asking);
    assert.deepEqual(whole(told), whole(await slow.ask(FEED, asking)));
    assert.equal(told.status, n < 3 ? 201 : 429);
  }
});

for (const [trouble, code] of [
  ['fails', 'storage_unavailable'],
  ['forgets', 'storage_outcome_unknown'],
] as const) {
  test(`a disk that ${trouble} gives the same error through the fast path and Express`, async (t) => {
    const [express, fast] = [
      await setUp(t, { disk: trouble }, {}, expressAlone),
      await setUp(t, { disk: trouble }),
    ];
    const told = await fast.ask(FEED, { body: { message: 'x' } });
    assertProblem(told, 503, code);
    const slow = await express.ask(FEED, { body: { message: 'x' } });
    assert.deepEqual(
      [told.status, told.text, told.header('Retry-After')],
      [slow.status, slow.text, slow.header('Retry-After')],
    );
  });
}

/** A workspace whose limits cannot be read, so that no quota headers can be made. */
async function withoutQuotas(t: TestContext, create: typeof expressAlone | undefined, disk?: 'forgets') {
  const made = await openTestWorkspace({ folder: await temporaryFolder(t), ...(disk && { disk }) });
  const quotas: Workspace['quotas'] = () =>
    Promise.reject(toWorkspaceError(new StoreFailure('nothing', 'too busy')));
  const house = await openHouse({ ...made, workspace: { ...made.workspace, quotas } }, {}, create);
  t.after(async () => {
    await house.close();
    await made.store.close();
  });
  return { ...made, ask: () => askAt(house.url, FEED, { body: { message: 'x' } }) };
}

for (const [way, create] of [
  ['the fast path', undefined],
  ['Express', expressAlone],
] as const) {
  test(`a stored post is 201 without RateLimit headers when the limits cannot be read (${way})`, async (t) => {
    const { status, headers } = await (await withoutQuotas(t, create)).ask();
    assert.deepEqual([status, headers['ratelimit']], [201, undefined]);
  });

  test(`a post with unknown outcome is 503 storage_outcome_unknown without RateLimit headers (${way})`, async (t) => {
    const told = await (await withoutQuotas(t, create, 'forgets')).ask();
    assertProblem(told, 503, 'storage_outcome_unknown');
    assert.equal(told.headers['ratelimit'], undefined);
  });
}

test('a stopping or frozen service refuses posts on the fast path', async (t) => {
  assertProblem(
    await (await setUp(t, {}, { stopping: () => true })).ask(FEED, { body: { message: 'x' } }),
    503,
    'shutting_down',
  );
  assertProblem(
    await (await setUp(t, { frozen: true })).ask(FEED, { body: { message: 'x' } }),
    503,
    'frozen',
  );
});

test('the request rate limit counts each post once, on the fast path too', async (t) => {
  const { ask } = await setUp(t, { limits: { requestsPerMinute: 5 } }, PROXIED);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) {
    // An invalid post counts once too.
    const body = n % 2 === 0 ? { message: `${n}` } : {};
    statuses.push((await ask(FEED, { headers: from('192.0.2.9'), body })).status);
  }
  assert.deepEqual(statuses, [201, 422, 201, 422, 201, 429, 429, 429]);
});
