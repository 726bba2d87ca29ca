import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BEHIND_PROXY, forwardedFor, NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';

const LIMIT = 4;

for (const [engine, place] of Object.entries(ENGINES)) {
  describe(`the bound on the writes of everybody on ${engine}`, () => {
    it('counts all four kinds; beyond it only newcomers write, up to as many again', async (t) => {
      const limits = { ...NO_LIMITS, writesPerMinuteTotal: LIMIT };
      const { request, clock, workspace } = await setUp(t, { limits, empty: true, ...place() }, BEHIND_PROXY);
      const write = (line: string, body: object, address: string) =>
        request(`POST /api/${line}`, { body, headers: forwardedFor(address) });
      const post = (address: string, body: object = { message: `x ${Math.random()}` }) =>
        write('feed', body, address);
      const first = '203.0.113.1';
      const keyed = { message: 'keyed', idempotencyKey: 'key-00001' };
      assert.equal((await post(first, keyed)).status, 201);
      assert.equal((await write('guestbook', { name: 'a', note: 'b' }, first)).status, 201);
      const project = await write('projects', { title: 'a', summary: 'b', by: 'c' }, first);
      assert.equal(
        (await write(`projects/${project.json.id}/notes`, { name: 'a', note: 'b' }, first)).status,
        201,
      );
      assert.ok(!workspace.valve.isClosed());
      const refused = await post(first);
      assert.deepEqual(
        [refused.status, refused.json.code, refused.json.limit, refused.headers['retry-after']],
        [429, 'rate_limited', 'everybodyPerMinute', '60'],
      );
      assert.ok(workspace.valve.isClosed());
      assert.equal((await post(first, keyed)).status, 201);
      const newcomers = await Promise.all(Array.from({ length: 6 }, (_, n) => post(`198.51.100.${n}`)));
      assert.deepEqual(newcomers.map(({ status }) => status).sort(), [201, 201, 201, 201, 429, 429]);
      assert.equal((await post('198.51.100.99')).status, 429);
      clock.advance(60_000);
      assert.ok(!workspace.valve.isClosed());
      assert.equal((await post(first)).status, 201);
      for (let n = 0; n < LIMIT - 1; n++) await post(first);
      clock.advance(59_000);
      assert.equal((await post(first)).headers['retry-after'], '1');
      clock.advance(9 * 60_000);
      for (let n = 0; n < LIMIT; n++) assert.equal((await post('203.0.113.2')).status, 201);
      clock.advance(1000);
      assert.equal((await post('203.0.113.2')).status, 429);
      clock.advance(1000);
      // Ten minutes after its last write the network is a newcomer again.
      assert.equal((await post(first)).status, 201);
    });
  });
}
