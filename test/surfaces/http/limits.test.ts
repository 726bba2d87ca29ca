import assert from 'node:assert/strict';
import test from 'node:test';
import { callTool } from '#tool/call-tool.ts';
import { callOverMcp, from, PROJECT, PROXIED, setUp, type Setting } from '../../support/http/setting.ts';

const HOUR = 3_600_000;
const post = ({ ask }: Setting, headers = {}) => ask('POST /api/feed', { headers, body: { message: 'x' } });
const sign = ({ ask }: Setting, headers = {}) =>
  ask('POST /api/guestbook', { headers, body: { name: 'a', note: 'b' } });

async function statuses(times: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const told: number[] = [];
  for (let i = 0; i < times; i++) told.push((await send()).status);
  return told;
}

const created = (times: number): number[] => Array<number>(times).fill(201);

test('a network posts 24 times an hour; the 25th is 429 until the first is an hour old, to the millisecond', async (t) => {
  const setting = await setUp(t, {}, PROXIED);
  const network = from('192.0.2.7');
  assert.deepEqual(await statuses(1, () => post(setting, network)), created(1));
  setting.clock.advance(1000);
  assert.deepEqual(await statuses(24, () => post(setting, network)), [...created(23), 429]);
  const { headers, json } = await post(setting, network);
  assert.equal(headers['retry-after'], '3599');
  assert.deepEqual(
    [json.code, json.limit, json.retryAfterSeconds],
    ['rate_limited', 'productionPostsPerNetworkPerHour', 3599],
  );
  setting.clock.advance(HOUR - 1001);
  assert.equal((await post(setting, network)).status, 429);
  setting.clock.advance(1);
  assert.deepEqual(await statuses(2, () => post(setting, network)), [201, 429], 'one place, not all');
  assert.equal((await post(setting, from('192.0.2.8'))).status, 201, 'another network has its own');
  assert.equal((await sign(setting, network)).status, 201, 'the porch has its own');
});

test('a visitor writes 10 times an hour on the porch, guest book, projects and notes together', async (t) => {
  const setting = await setUp(t);
  const project = () => setting.ask('POST /api/projects', { body: { title: 'a', summary: 'b', by: 'c' } });
  const note = () => setting.ask(`POST /api/projects/${PROJECT}/notes`, { body: { name: 'a', note: 'b' } });
  assert.deepEqual(await statuses(4, () => sign(setting)), created(4));
  assert.deepEqual(await statuses(3, project), created(3));
  assert.deepEqual(await statuses(3, note), created(3));
  for (const write of [() => sign(setting), project, note]) {
    const { status, json, headers } = await write();
    assert.deepEqual(
      [status, json.limit, headers['retry-after']],
      [429, 'porchWritesPerVisitorPerHour', '3600'],
    );
  }
  setting.clock.advance(HOUR);
  assert.equal((await note()).status, 201);
});

test('a visitor writes 40 times a day on the porch', async (t) => {
  const setting = await setUp(t);
  for (let hour = 0; hour < 4; hour++) {
    assert.deepEqual(await statuses(10, () => sign(setting)), created(10));
    setting.clock.advance(HOUR);
  }
  const { json, headers } = await sign(setting);
  assert.deepEqual([json.limit, headers['retry-after']], ['porchWritesPerVisitorPerDay', String(20 * 3600)]);
  setting.clock.advance(20 * HOUR - 1);
  assert.equal((await sign(setting)).status, 429);
  setting.clock.advance(1);
  assert.deepEqual(await statuses(11, () => sign(setting)), [...created(10), 429]);
});

test('one limiter stands behind every door', async (t) => {
  const setting = await setUp(t);
  for (let i = 0; i < 12; i++) {
    assert.equal((await post(setting)).status, 201);
    assert.ok('id' in (await callOverMcp(setting, 'post_message', { message: 'x' })));
  }
  assert.equal((await post(setting)).status, 429);
  assert.equal((await callOverMcp(setting, 'post_message', { message: 'x' })).code, 'rate_limited');
  const stdio = { workspace: setting.workspace, caller: { clientKey: 'local' } };
  const tool = setting.tools.find(({ name }) => name === 'post_message')!;
  await assert.rejects(callTool(tool, { message: 'x' }, stdio), { message: /used all 24/ });
});

test('parallel posts through both doors: exactly 24 are stored', async (t) => {
  const setting = await setUp(t, { empty: true });
  await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      i % 2 === 0 ? post(setting) : callOverMcp(setting, 'post_message', { message: 'x' }),
    ),
  );
  assert.equal((await setting.store.read.totals()).posts, 24);
});

test('refused calls cost nothing, hidden records still count', async (t) => {
  const setting = await setUp(t, { limits: { feedPostsPerHour: 2 } });
  for (const body of [{ message: '' }, { message: 'x', replyTo: 'x' }, [], '{'])
    await setting.ask('POST /api/feed', { body });
  const { json } = await post(setting);
  await setting.store.write((writer) => writer.hide(json.id, 'a test'));
  assert.deepEqual(await statuses(2, () => post(setting)), [201, 429]);
});
