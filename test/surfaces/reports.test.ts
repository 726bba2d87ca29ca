import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { historyOf } from '../support/store/store-location.ts';
import { hide } from '../support/store/writes.ts';
import { setUpEngines } from '../support/http/test-app-engines.ts';
import { BEHIND_PROXY, forwardedFor, IDEA, PROJECT, setUp, UNKNOWN_UUID } from '../support/http/test-app.ts';
import { runReports } from '../support/reports.ts';

const NOTE = 'note_019c9a31-6400-7000-8000-000000000007';
const PUBLIC = [
  ...['start', 'feed', 'work', 'guestbook', 'projects', 'protocol', 'moderation'].map(
    (path) => `/api/${path}`,
  ),
  ...[`/api/projects/${PROJECT}`, `/api/posts/${IDEA}`, '/api/updates?after=2026-01-01T00:00:00Z&wait=0'],
  ...[
    '/moderation',
    '/',
    `/posts/${IDEA}`,
    '/feed.xml',
    '/feed.atom',
    '/feed.json',
    '/sitemap.xml',
    '/healthz',
  ],
  ...['/openapi.json', '/llms.txt'],
];

for (const { engine, ...app } of await setUpEngines({ after }, { contact: 'mail@example.org' })) {
  const { request, store } = app;
  const report = (id: string, reason: string, address = '203.0.113.7') =>
    request('POST /api/reports', { body: { id, reason }, headers: forwardedFor(address) });

  describe(`reports on ${engine}`, () => {
    it('a report gets 201, reaches the queue, and changes no byte that is public', async () => {
      const read = () =>
        Promise.all(
          PUBLIC.map(async (path) => {
            const { status, headers, text } = await request(`GET ${path}`);
            return { path, status, text, etag: headers['etag'] };
          }),
        );
      const before = await read();
      const exported = await historyOf(store);
      const { status, json, headers } = await report(IDEA, 'illegal');
      const receipt = [201, { id: IDEA, reason: 'illegal', contact: 'mail@example.org', ignored: [] }];
      assert.deepEqual([status, json], receipt);
      assert.equal(headers['cache-control'], 'no-store');
      assert.deepEqual(await read(), before);
      assert.deepEqual(await historyOf(store), exported);
      assert.match(await runReports(app), new RegExp(`^${IDEA} {2}1 network {2}illegal 1 `));
    });

    it('a repetition gets the same bytes, whoever reported before', async () => {
      const [first, again] = [await report(PROJECT, 'spam'), await report(PROJECT, 'spam')];
      assert.deepEqual(
        [again.status, again.text, again.headers],
        [
          first.status,
          first.text,
          {
            ...first.headers,
            date: again.headers['date'],
          },
        ],
      );
      assert.match(await runReports(app), new RegExp(`^${PROJECT} {2}1 network {2}spam 1 `, 'm'));
    });

    it('only a visible record can be reported, of any kind', async () => {
      for (const id of [`post_${UNKNOWN_UUID}`, '__proto__', 'x', `${NOTE}x`])
        assert.deepEqual(
          [(await report(id, 'spam')).status, (await report(id, 'spam')).json.code],
          [404, 'not_found'],
        );
      assert.equal((await report(NOTE, 'abuse')).status, 201);
      await hide(store, PROJECT);
      for (const id of [PROJECT, NOTE]) assert.equal((await report(id, 'abuse')).status, 404);
      assert.doesNotMatch(await runReports(app), new RegExp(`${PROJECT}|${NOTE}`));
    });

    it('a wrong reason and a text are refused or ignored', async () => {
      assert.equal((await report(IDEA, 'because')).json.code, 'invalid_request');
      const { json } = await request('POST /api/reports', {
        body: { id: IDEA, reason: 'other', text: 'he lives at 12 Some Street' },
      });
      assert.deepEqual(json.ignored, ['text']);
    });
  });
}

it('reports of one /24 or /48 are limited, and are those of one network to the queue', async (t) => {
  const app = await setUp(t, { limits: { reportsPerHour: 2 } }, BEHIND_PROXY);
  const { request, clock } = app;
  const report = (address: string) =>
    request('POST /api/reports', { body: { id: IDEA, reason: 'spam' }, headers: forwardedFor(address) });
  const statuses = [];
  for (let n = 0; n < 3; n++) statuses.push((await report(`203.0.113.${n}`)).status);
  assert.deepEqual(statuses, [201, 201, 429]);
  const refused = await report('203.0.113.7');
  const refusal = [refused.json.limit, refused.headers['retry-after']];
  assert.deepEqual(refusal, ['reportsPerNetworkPerHour', '3600']);
  assert.equal((await report('203.0.114.7')).status, 201);
  const ofIpv6 = [];
  for (let n = 0; n < 80; n++) ofIpv6.push((await report(`2001:db8:1:${n.toString(16)}::1`)).status);
  assert.equal(ofIpv6.filter((status) => status === 201).length, 2);
  clock.advance(3_600_000);
  assert.equal((await report('203.0.113.7')).status, 201);
  assert.match(await runReports(app), new RegExp(`^${IDEA} {2}3 networks {2}spam 3 `));
});

it('reports are accepted while the store is frozen, and while it takes no writes', async (t) => {
  for (const condition of [{ frozen: true }, { disk: 'fails' }, { storeMaxBytes: 1 }] as const) {
    const { request } = await setUp(t, condition);
    assert.equal((await request('POST /api/reports', { body: { id: IDEA, reason: 'illegal' } })).status, 201);
  }
});
