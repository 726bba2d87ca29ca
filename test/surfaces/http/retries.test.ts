import assert from 'node:assert/strict';
import test from 'node:test';
import { hashContent } from '#store/port/lookups.ts';
import { callOverMcp, IDEA, PROJECT, setUp } from '../../support/http/test-app.ts';
import { assertProblem } from '../../support/http/problem.ts';
import { hide, idempotentHit } from '../../support/store/writes.ts';

const DAY = 86_400_000;

const WORK = { title: 'a', summary: 'b' };
const WRITES: [line: string, tool: string, body: object, other: object][] = [
  ['POST /api/feed', 'post_message', { message: 'x', replyTo: IDEA }, { message: 'x' }],
  ['POST /api/guestbook', 'sign_guestbook', { name: 'a', note: 'b' }, { name: 'a', kind: 'k', note: 'b' }],
  ['POST /api/projects', 'create_project', { ...WORK, by: 'c' }, { ...WORK, by: 'd' }],
  [`POST /api/projects/${PROJECT}/notes`, 'add_note', { name: 'a', note: 'b' }, { name: 'a', note: 'c' }],
];

for (const [line, tool, body, other] of WRITES) {
  test(`${line.replace(PROJECT, '{id}')}: the same key publishes once, quoted or not, over REST and MCP, and a replay counts against no limit`, async (t) => {
    const app = await setUp(t);
    const send = (key: string, sent = body) =>
      app.request(line, { headers: { 'Idempotency-Key': key }, body: sent });
    const first = await send('key:0001');
    const seen = [first.status, first.json.duplicate, first.headers['idempotency-replayed']];
    assert.deepEqual(seen, [201, false, undefined]);
    const repeated = { ...first.json, ...(tool === 'post_message' && { meanwhile: null }) };
    for (const key of ['key:0001', '"key:0001"']) {
      const again = await send(key);
      assert.deepEqual([again.status, again.header('Idempotency-Replayed')], [201, 'true']);
      assert.deepEqual(again.json, {
        ...repeated,
        duplicate: true,
        possibleDuplicateOf: null,
        quota: null,
      });
      assert.equal(again.headers.location, first.headers.location);
      assert.equal(again.headers['ratelimit'], undefined, 'a replay does not show the use of the network');
    }
    const args = { ...body, ...(tool === 'add_note' && { projectId: PROJECT }), idempotencyKey: 'key:0001' };
    const { longText = '' } = app.tools.find(({ name }) => name === tool)!;
    const { [longText]: sent, ...receipt } = { ...repeated, duplicate: true, quota: null };
    assert.equal(sent, (body as Record<string, unknown>)[longText]);
    assert.deepEqual(await callOverMcp(app, tool, args), receipt);

    assertProblem(await send('key:0001', other), 422, 'idempotency_mismatch');
    assert.equal((await send('key:0002')).json.possibleDuplicateOf, first.json.id);

    await hide(app.store, first.json.id, 'a test');
    assertProblem(await send('key:0001'), 404, 'not_found');
    app.clock.advance(DAY - 1);
    assertProblem(await send('key:0001'), 404, 'not_found');
    app.clock.advance(1);
    const fresh = await send('key:0001', other);
    assert.deepEqual([fresh.status, fresh.json.duplicate], [201, false]);
  });
}

test('the key is the header or a field of the body, and two different ones are refused', async (t) => {
  const { request, store } = await setUp(t, { empty: true });
  const send = (header: string | undefined, idempotencyKey: unknown, message = 'x') =>
    request('POST /api/feed', {
      headers: { 'Idempotency-Key': header },
      body: { message, idempotencyKey },
    });
  const { json: first } = await send('key-0001', undefined);
  for (const [header, key] of [
    [undefined, 'key-0001'],
    ['key-0001', 'key-0001'],
    ['"key-0001"', 'key-0001'],
    ['key-0001', null],
    ['key-0001', ''],
    ['', 'key-0001'],
  ] as const) {
    const { status, json } = await send(header, key);
    assert.deepEqual([status, json.id, json.duplicate], [201, first.id, true]);
  }
  for (const [header, key] of [
    ['key-0001', 'key-0002'],
    ['key-0001', 5],
    ['key-0001', ['key-0001']],
    [undefined, 5],
    [undefined, 'short'],
  ] as const) {
    const response = await send(header, key, 'other');
    assertProblem(response, 422, 'invalid_request');
    assert.equal(response.json.errors[0].path, 'idempotencyKey');
  }
  assert.equal((await store.read.totals()).posts, 1);
});

test('a retry with other unknown arguments is a replay, and lists its own beside the present state', async (t) => {
  const { request } = await setUp(t, { empty: true });
  const send = (more: object) =>
    request('POST /api/feed', {
      headers: { 'Idempotency-Key': 'key-0001' },
      body: { message: 'x', ...more },
    });
  const { json: first } = await send({ colour: 'red' });
  await request('POST /api/feed', { body: { message: 'y', replyTo: first.id } });
  const { json: again } = await send({ size: 5, mood: {} });
  assert.deepEqual([first.ignored, again.id, again.duplicate], [['colour'], first.id, true]);
  assert.deepEqual([again.ignored, again.replyCount], [['size', 'mood'], 1]);
});

test('a name is part of the compared content only if there is one', async (t) => {
  const { request, store } = await setUp(t);
  const origin = (content: object) =>
    ({
      clientKey: 'local',
      limitScope: 'feed',
      key: 'key-0001',
      content: hashContent(JSON.stringify(content)),
    }) as const;
  const hit = async (content: object) =>
    (await idempotentHit(store, 'post', origin(content), DAY))?.sameContent;
  const send = (body: object) =>
    request('POST /api/feed', { headers: { 'Idempotency-Key': 'key-0001' }, body });
  assert.equal((await send({ replyTo: IDEA, name: '', message: 'x' })).status, 201);
  assert.equal(await hit({ message: 'x', replyTo: IDEA }), true);
  assert.equal((await send({ message: 'x', replyTo: IDEA, name: null })).json.duplicate, true);
  assertProblem(await send({ message: 'x', replyTo: IDEA, name: 'Harbour' }), 422, 'idempotency_mismatch');
});

test('a key of 8 to 128 characters of A-Za-z0-9._:- is accepted, and any other is 422', async (t) => {
  const { request, store } = await setUp(t, { empty: true });
  const send = (key: string) =>
    request('POST /api/feed', { headers: { 'Idempotency-Key': key }, body: { message: 'x' } });
  for (const key of ['aB3._:-x', 'x'.repeat(128), `"${'y'.repeat(128)}"`])
    assert.equal((await send(key)).status, 201);
  const wrong = [
    ...['x'.repeat(7), 'x'.repeat(129), 'with space', '"12345678', 'k\u00E9y-00001'],
    ...['12345678, 12345678', '12345678\t9'],
  ];
  for (const key of wrong) assertProblem(await send(key), 422, 'invalid_request');
  assert.equal((await store.read.totals()).posts, 3);
});

test('possibleDuplicateOf names an equal post of the last hour, and every post without a key is stored', async (t) => {
  const { request, clock } = await setUp(t);
  const send = async () => (await request('POST /api/feed', { body: { message: 'x' } })).json;
  const first = await send();
  assert.equal(first.possibleDuplicateOf, null);
  const duplicate = await send();
  const seen = [duplicate.possibleDuplicateOf, duplicate.duplicate, duplicate.id === first.id];
  assert.deepEqual(seen, [first.id, false, false]);
  clock.advance(3_599_999);
  assert.equal((await send()).possibleDuplicateOf, duplicate.id);
  clock.advance(3_600_000);
  assert.equal((await send()).possibleDuplicateOf, null);
});
