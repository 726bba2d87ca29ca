import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { FastWrites } from '#http/fast-writes.ts';
import { StoreFailure } from '#store/store.ts';
import { toWorkspaceError } from '#workspace/errors.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openHouse } from '../support/house.ts';
import { assertProblem } from '../support/http-problem.ts';
import { IDEA, PROXIED, from, setUp, visibleIds } from '../support/http-setting.ts';
import { askAt, type Asking, type Told } from '../support/http-wire.ts';
import { openWorld } from '../support/world.ts';

/** No header that anybody knows, so Express looks at the request. */
const BY_EXPRESS = { 'X-Look-Closer': '1' };

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

/** All of an answer but the time of day. */
function whole({ status, headers, text }: Told) {
  const { date: _, ...more } = headers;
  return { status, headers: more, text };
}

test('a post has the same answer in front of Express as from Express, header by header, and the same is stored', async (t) => {
  const [slow, fast] = [await setUp(t), await setUp(t)];
  for (const [name, [line, asking]] of Object.entries(SENDINGS)) {
    const told = await slow.ask(line, { ...asking, headers: { ...asking.headers, ...BY_EXPRESS } });
    assert.deepEqual(whole(await fast.ask(line, asking)), whole(told), name);
  }
  assert.deepEqual(await visibleIds(fast.store), await visibleIds(slow.store));
});

test('in front of Express the limits hold as they do behind it, and who is refused learns when to come back', async (t) => {
  const [slow, fast] = [
    await setUp(t, { limits: { feedPostsPerHour: 3 } }),
    await setUp(t, { limits: { feedPostsPerHour: 3 } }),
  ];
  for (let n = 0; n < 5; n++) {
    const asking = { body: { message: `${n}` } };
    const told = await fast.ask(FEED, asking);
    assert.deepEqual(whole(told), whole(await slow.ask(FEED, { ...asking, headers: BY_EXPRESS })));
    assert.equal(told.status, n < 3 ? 201 : 429);
  }
});

for (const [trouble, code] of [
  ['fails', 'storage_unavailable'],
  ['forgets', 'storage_outcome_unknown'],
] as const) {
  test(`a disk that ${trouble} is told of in the same words on both ways`, async (t) => {
    const { ask } = await setUp(t, { disk: trouble });
    const told = await ask(FEED, { body: { message: 'x' } });
    assertProblem(told, 503, code);
    const slow = await ask(FEED, { headers: BY_EXPRESS, body: { message: 'x' } });
    assert.deepEqual(
      [told.status, told.text, told.header('Retry-After')],
      [slow.status, slow.text, slow.header('Retry-After')],
    );
  });
}

/** A workspace that cannot tell how much is left, once it has been asked so often. */
async function withoutQuotas(t: TestContext, after: number, disk?: 'forgets') {
  const made = await openWorld({ folder: await temporaryFolder(t), ...(disk && { disk }) });
  let asked = 0;
  const quotas: Workspace['quotas'] = (...args) =>
    ++asked > after
      ? Promise.reject(toWorkspaceError(new StoreFailure('nothing', 'too busy')))
      : made.workspace.quotas(...args);
  const house = await openHouse({ ...made, workspace: { ...made.workspace, quotas } });
  t.after(async () => {
    await house.close();
    await made.store.close();
  });
  return { ...made, ask: (headers = {}) => askAt(house.url, FEED, { headers, body: { message: 'x' } }) };
}

test('a post that stands is told as that, though nobody can say how many may follow', async (t) => {
  for (const [after, headers] of [
    [0, {}],
    [1, BY_EXPRESS],
  ] as const) {
    const { ask } = await withoutQuotas(t, after);
    assert.equal((await ask(headers)).status, 201);
  }
});

test('a post that nobody knows of is told as that, though nobody can say how many may follow', async (t) => {
  assertProblem(await (await withoutQuotas(t, 0, 'forgets')).ask(), 503, 'storage_outcome_unknown');
  assertProblem(await (await withoutQuotas(t, 1, 'forgets')).ask(BY_EXPRESS), 503, 'storage_outcome_unknown');
});

test('a service that stops, or is frozen, takes no post in front of Express either', async (t) => {
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

test('who posts too often is counted once for each post, and refused also in front of Express', async (t) => {
  const { ask } = await setUp(t, { limits: { requestsPerMinute: 5 } }, PROXIED);
  const statuses: number[] = [];
  for (let n = 0; n < 8; n++) {
    // The wrong ones are told by Express, and count no more for it.
    const body = n % 2 === 0 ? { message: `${n}` } : {};
    statuses.push((await ask(FEED, { headers: from('192.0.2.9'), body })).status);
  }
  assert.deepEqual(statuses, [201, 422, 201, 422, 201, 429, 429, 429]);
});

test('only the plain post is taken in front of Express', async (t) => {
  const fast = new FastWrites(
    {
      revision: () => undefined,
      stopping: () => false,
      caller: () => ({ visitor: 'x' }),
      shield: (_request, _response, next) => {
        next();
      },
    },
    new Map([
      [
        '/write',
        { write: async () => ({ status: 201, headers: {}, body: 'taken' }), quotas: async () => ({}) },
      ],
    ]),
    {},
  );
  const server = createServer((request, response) => {
    fast.answer(request, response, () => response.end('Express'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close().closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const by = async (headers: Asking['headers'], path = '/write'): Promise<string> =>
    (await askAt(url, `POST ${path}`, { headers, body: '{}' })).text;
  for (const headers of [
    {},
    KEY,
    { Accept: '*/*' },
    { Origin: 'null' },
    { 'User-Agent': 'x' },
    { 'Content-Type': 'application/json;charset=utf-8' },
  ]) {
    assert.equal(await by(headers), 'taken', JSON.stringify(headers));
  }
  for (const headers of [
    { 'X-Strange': '1' },
    { 'Content-Type': 'text/json' },
    { 'Content-Type': undefined },
    { 'Transfer-Encoding': 'chunked' },
    { 'Content-Encoding': 'identity' },
    { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
    { 'Idempotency-Key': ['a', 'b'] },
  ]) {
    assert.equal(await by(headers), 'Express', JSON.stringify(headers));
  }
  assert.equal(await by({}, '/write?x'), 'Express');
  assert.equal(await by({}, '/other'), 'Express');
});
