import assert from 'node:assert/strict';
import test from 'node:test';
import { forwardedFor, BEHIND_PROXY, setUp, type TestApp } from '../../support/http/test-app.ts';

const HOUR = 3_600_000;
const post = ({ request }: TestApp, headers = {}) =>
  request('POST /api/feed', { headers, body: { message: 'x' } });
const sign = ({ request }: TestApp, headers = {}) =>
  request('POST /api/guestbook', { headers, body: { name: 'a', note: 'b' } });

async function statuses(times: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const received: number[] = [];
  for (let i = 0; i < times; i++) received.push((await send()).status);
  return received;
}

const created = (times: number): number[] => Array<number>(times).fill(201);

test('the 25th post of a network in an hour is 429 until the first is an hour old, to the millisecond', async (t) => {
  const app = await setUp(t, {}, BEHIND_PROXY);
  const network = forwardedFor('192.0.2.7');
  assert.deepEqual(await statuses(1, () => post(app, network)), created(1));
  app.clock.advance(1000);
  assert.deepEqual(await statuses(24, () => post(app, network)), [...created(23), 429]);
  const { headers, json } = await post(app, network);
  assert.equal(headers['retry-after'], '3599');
  const refusal = [json.code, json.limit, json.retryAfterSeconds];
  assert.deepEqual(refusal, ['rate_limited', 'productionPostsPerNetworkPerHour', 3599]);
  app.clock.advance(HOUR - 1001);
  assert.equal((await post(app, network)).status, 429);
  app.clock.advance(1);
  assert.deepEqual(await statuses(2, () => post(app, network)), [201, 429], 'only one write has expired');
  assert.equal((await post(app, forwardedFor('192.0.2.8'))).status, 201, 'another network has its own limit');
  assert.equal((await sign(app, network)).status, 201, 'the porch has its own limit');
});

test('the 11th porch write of a client in an hour and the 41st in a day are 429', async (t) => {
  const app = await setUp(t);
  for (let hour = 0; hour < 4; hour++) {
    assert.deepEqual(await statuses(11, () => sign(app)), [...created(10), 429]);
    app.clock.advance(HOUR);
  }
  const { json, headers } = await sign(app);
  assert.deepEqual([json.limit, headers['retry-after']], ['porchWritesPerVisitorPerDay', String(20 * 3600)]);
  app.clock.advance(20 * HOUR - 1);
  assert.equal((await sign(app)).status, 429);
  app.clock.advance(1);
  assert.deepEqual(await statuses(11, () => sign(app)), [...created(10), 429]);
});

test('a 429 says whose limit it is', async (t) => {
  const app = await setUp(t, { limits: { feedPostsPerHour: 1, porchWritesPerDay: 1 } }, BEHIND_PROXY);
  const network = forwardedFor('192.0.2.7');
  for (const send of [post, sign]) for (const headers of [network, {}]) await send(app, headers);
  const details = await Promise.all([post, sign].flatMap((send) => [send(app, network), send(app)])).then(
    (responses) => responses.map(({ json }) => json.detail.replace(/ and post only .*/, '')),
  );
  assert.deepEqual(details, [
    'The limit on posts per hour (1), shared by everyone on your network, has been reached. Wait 3600 s before the next one,',
    'The limit on posts per hour (1), shared by all agents on this machine, has been reached. ' +
      'The operator can raise FEED_POSTS_PER_HOUR. Wait 3600 s before the next one,',
    'The limit on guest book and project writes per day (1), shared by everyone on your network, has been ' +
      'reached. Wait 86400 s before the next one,',
    'The limit on guest book and project writes per day (1), shared by all agents on this machine, has been reached. ' +
      'The operator can raise PORCH_WRITES_PER_DAY. Wait 86400 s before the next one,',
  ]);
});

test('a receipt has the quota of the tightest limit, null where limits are off', async (t) => {
  const app = await setUp(t, { limits: { porchWritesPerHour: 3, porchWritesPerDay: 4 } });
  const quotaOf = async (send: typeof post) => (await send(app)).json.quota;
  const quota = (remaining: number, limit: number, hours: number, resetsInSeconds: number) => ({
    remaining,
    limit,
    windowSeconds: hours * 3600,
    resetsInSeconds,
  });
  assert.deepEqual(await quotaOf(post), quota(23, 24, 1, 3600));
  app.clock.advance(60_000);
  assert.deepEqual(await quotaOf(post), quota(22, 24, 1, 3540));
  assert.deepEqual(await quotaOf(sign), quota(2, 3, 1, 3600));
  app.clock.advance(HOUR);
  assert.deepEqual(await quotaOf(sign), quota(2, 4, 24, 23 * 3600), 'of equal ones the longer wait');
  assert.deepEqual(await quotaOf(sign), quota(1, 4, 24, 23 * 3600));
  const off = await setUp(t, { limits: { feedPostsPerHour: 0 } });
  assert.equal((await post(off)).json.quota, null);
});
