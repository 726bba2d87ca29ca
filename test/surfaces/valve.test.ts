import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BEHIND_PROXY, forwardedFor, NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';
import { firstOf } from '../support/thorough.ts';

const LIMIT = 4;

/** Addresses of one of some networks, and of another network for each number. */
const NETWORKS = [
  ['/48', (net: number, n: number) => `2001:db8:${net}:${n}::1`, (n: number) => `2001:db8:ff${n}::1`],
  ['/24', (net: number, n: number) => `203.0.${net}.${n + 1}`, (n: number) => `10.1.${n}.1`],
] as const;

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
      assert.ok(!workspace.totalWriteLimit.isClosed());
      const refused = await post(first);
      const seen = [refused.status, refused.json.code, refused.json.limit, refused.headers['retry-after']];
      assert.deepEqual(seen, [429, 'rate_limited', 'everybodyPerMinute', '60']);
      assert.ok(workspace.totalWriteLimit.isClosed());
      assert.equal((await post(first, keyed)).status, 201);
      const newcomers = await Promise.all(Array.from({ length: 6 }, (_, n) => post(`198.51.${n}.1`)));
      assert.deepEqual(newcomers.map(({ status }) => status).sort(), [201, 201, 201, 201, 429, 429]);
      assert.equal((await post('198.51.99.1')).status, 429);
      clock.advance(60_000);
      assert.ok(!workspace.totalWriteLimit.isClosed());
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

    for (const [name, addressOf, stranger] of NETWORKS)
      it(`one ${name} has a quarter of the newcomers' places, and strangers have the others`, async (t) => {
        const limits = { ...NO_LIMITS, writesPerMinuteTotal: 8 };
        const { request, clock } = await setUp(t, { limits, empty: true, ...place() }, BEHIND_PROXY);
        const post = async (address: string) => {
          clock.advance(100);
          const body = { message: `x ${Math.random()}` };
          return request('POST /api/feed', { body, headers: forwardedFor(address) });
        };
        const attack = [];
        for (let n = 1; n <= 20; n++) attack.push(await post(addressOf(0, n)));
        const stored = attack.filter(({ status }) => status === 201);
        assert.equal(stored.length, 8 + 2);
        const refused = attack.at(-1)!;
        const seen = [refused.status, refused.json.limit, refused.headers['retry-after']];
        assert.deepEqual(seen, [429, 'everybodyPerMinute', '59']);
        for (let n = 1; n <= 6; n++) assert.equal((await post(stranger(n))).status, 201);
        assert.equal((await post(stranger(7))).status, 429);
        clock.advance(60_000);
        assert.equal((await post(addressOf(0, 21))).status, 201);
      });

    for (const [name, addressOf, stranger] of NETWORKS)
      for (const networks of firstOf([4, 8, 16]))
        it(`${networks} networks of ${name} leave strangers the last quarter`, async (t) => {
          const limits = { ...NO_LIMITS, writesPerMinuteTotal: 16 };
          const { request, clock } = await setUp(t, { limits, empty: true, ...place() }, BEHIND_PROXY);
          const post = async (address: string) => {
            clock.advance(100);
            const body = { message: `x ${Math.random()}` };
            return (await request('POST /api/feed', { body, headers: forwardedFor(address) })).status;
          };
          const attack = [];
          for (let n = 0; n < 48; n++) attack.push(await post(addressOf(n % networks, n)));
          assert.equal(attack.filter((status) => status === 201).length, 16 + 12);
          clock.advance(60_000);
          for (let n = 48; n < 96; n++) await post(addressOf(n % networks, n));
          const strangers = [];
          for (let n = 1; n <= 5; n++) strangers.push(await post(stranger(n)));
          assert.deepEqual(strangers, [201, 201, 201, 201, 429]);
        });
  });
}
