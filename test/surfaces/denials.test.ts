import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { CommandError, UsageError, type Command, type CommandArgs } from '#commands/command.ts';
import { allow, deny } from '#commands/deny.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { runCommand } from '../support/commands.ts';
import {
  callOverMcp,
  BEHIND_PROXY,
  forwardedFor,
  IDEA,
  NO_LIMITS,
  setUp,
  UNKNOWN_UUID,
} from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';

const ADDRESS = '203.0.113.7';
const OTHER = '198.51.100.1';

for (const [engine, place] of Object.entries(ENGINES)) {
  describe(`denials on ${engine}`, async () => {
    const app = await setUp({ after }, { limits: NO_LIMITS, ...place() }, BEHIND_PROXY);
    const { request, clock, store, privateStore } = app;

    const run = async (command: Command, given: Partial<CommandArgs>, answer?: string): Promise<string[]> => {
      const lines = await runCommand(command, store, { privateStore, now: clock.now, ...given }, answer);
      // The servers read denials again after half a second.
      clock.advance(500);
      return lines;
    };
    const post = (address: string, body: object = { message: `x ${Math.random()}` }) =>
      request('POST /api/feed', { body, headers: forwardedFor(address) });
    const denyBehind = (id: string, given: Partial<CommandArgs> = {}) =>
      run(deny, { behind: id, reason: 'a campaign', yes: true, ...given });

    it('denies the network behind a post, which nobody learns, and nothing but its writes', async () => {
      const keyed = { message: 'first', idempotencyKey: 'before-denial' };
      const { json } = await post(ADDRESS, keyed);
      await post(OTHER);
      const lines = await denyBehind(json.id);
      assert.deepEqual(lines, [
        'Denied as number 1 until 2026-03-04 00:00 UTC. porchlight allow 1 lifts it.',
      ]);
      const refused = await post(ADDRESS);
      assert.deepEqual([refused.status, refused.json.code], [403, 'denied_network']);
      assert.deepEqual(Object.keys(refused.json), ['type', 'title', 'status', 'detail', 'code']);
      assert.equal(refused.headers['retry-after'], undefined);
      const overMcp = await callOverMcp(app, 'post_message', { message: 'y' }, forwardedFor(ADDRESS));
      assert.equal(overMcp.code, 'denied_network');
      for (const [path, body] of [
        ['guestbook', { name: 'a', note: 'b' }],
        ['projects', { title: 'c', summary: 'd', by: 'e' }],
      ] as const) {
        const { status } = await request(`POST /api/${path}`, { body, headers: forwardedFor(ADDRESS) });
        assert.equal(status, 403);
      }
      assert.equal((await post(OTHER)).status, 201);
      assert.equal((await post(ADDRESS, keyed)).json.id, json.id);
      const headers = forwardedFor(ADDRESS);
      assert.equal((await request('GET /api/feed', { headers })).status, 200);
      assert.equal(
        (await request('POST /api/reports', { body: { id: IDEA, reason: 'spam' }, headers })).status,
        201,
      );
      const listed = await run(deny, {});
      assert.deepEqual(listed, [`1  behind ${json.id}  until 2026-03-04 00:00 UTC  a campaign`]);
      const stored =
        JSON.stringify(await privateStore.denials()) + (await request('GET /api/moderation')).text;
      assert.ok(!stored.includes('203.0.113'));
    });

    it('publishes how many networks were denied on a day, and nothing else of them', async () => {
      const { json, text } = await request('GET /api/moderation');
      assert.deepEqual(json.denials, [{ day: '2026-03-02', count: 1 }]);
      assert.doesNotMatch(text, /campaign|post_/);
      assert.match((await request('GET /moderation.md')).text, /- 2026-03-02: 1 network denied/);
    });

    it('lifts a denial by its number', async () => {
      await run(allow, { positionals: ['1'] });
      assert.equal((await post(ADDRESS)).status, 201);
      assert.deepEqual(await run(deny, {}), ['No network is denied.']);
      await assert.rejects(run(allow, { positionals: ['1'] }), CommandError);
      for (const text of ['', '0', 'x', '-1'])
        await assert.rejects(run(allow, { positionals: [text] }), UsageError);
    });

    it('denies a range, and a network of which a range is a part', async () => {
      for (const [range, address, isDenied] of [
        ['203.0.113.0/24', ADDRESS, true],
        ['203.0.113.0/24', OTHER, false],
        ['203.0.113.7', ADDRESS, true],
        ['203.0.113.8', ADDRESS, false],
        ['2001:db8::/32', '2001:db8:1::1', true],
        ['2001:db8::1:0:0:5', '2001:db8:0:0:1::9', true],
        ['2001:db8::/32', ADDRESS, false],
        ['::ffff:203.0.113.0/120', ADDRESS, true],
        ['::ffff:cb00:7107', ADDRESS, true],
        ['::ffff:203.0.113.0/120', OTHER, false],
        ['0.0.0.0/1', '100.64.0.1', true],
      ] as const) {
        const [line = ''] = await run(deny, { positionals: [range], reason: 'x' });
        assert.equal((await post(address)).status, isDenied ? 403 : 201, `${range} ${address}`);
        await run(allow, { positionals: [/number (\d+)/.exec(line)?.[1] ?? ''] });
      }
      for (const range of [
        ...['0.0.0.0/0', '::/0', '::ffff:0:0/96', 'x', '203.0.113.0/33', '203.0.113', '203.0.113.7/'],
        ...['10.1/16', '010.0.0.0/8'],
      ])
        await assert.rejects(run(deny, { positionals: [range], reason: 'x' }), /such as 203/, range);
      for (const range of [
        ...['127.0.0.0/8', '127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:0:0/90', '::/64', '0.0.0.0/8'],
        ...['224.0.0.0/4', '255.255.255.255', 'ff02::/16'],
      ])
        await assert.rejects(
          run(deny, { positionals: [range], reason: 'x' }),
          { name: 'UsageError', message: /^That would deny no one: / },
          range,
        );
      assert.deepEqual(await run(deny, {}), ['No network is denied.']);
    });

    it('denies the whole /48 or /24 of the network behind a post, after a question', async () => {
      for (const [address, sibling, stranger] of [
        ['2001:db8:5:1::1', '2001:db8:5:ffff::1', '2001:db8:6:1::1'],
        ['192.0.2.7', '192.0.2.250', '192.0.3.7'],
      ] as const) {
        const { json } = await post(address);
        const denied = { behind: json.id, wide: true, reason: 'x' };
        await assert.rejects(run(deny, denied), /This denies everyone in its \/24 or \/48\. .*\n.*--yes/);
        await assert.rejects(run(deny, denied, 'n'), CommandError);
        const [, n = ''] = /number (\d+)/.exec((await run(deny, denied, 'y')).join()) ?? [];
        const [listed = ''] = await run(deny, {});
        assert.match(listed, new RegExp(`^${n}  behind ${json.id}, widened  until 2026-03-04 00:00 UTC  x$`));
        assert.deepEqual(
          [(await post(address)).status, (await post(sibling)).status, (await post(stranger)).status],
          [403, 403, 201],
        );
        await run(allow, { positionals: [n] });
        assert.equal((await post(sibling)).status, 201);
      }
      await assert.rejects(run(deny, { wide: true, reason: 'x' }), /^UsageError: --wide needs --behind\.$/);
      const range = { positionals: ['203.0.113.0/24'], wide: true, reason: 'x' };
      await assert.rejects(run(deny, range), UsageError);
    });

    it('a number that is used again is that of another denial', async () => {
      const denyRange = async (range: string) => {
        const [line = ''] = await run(deny, { positionals: [range], reason: 'x' });
        return /number (\d+)/.exec(line)?.[1] ?? '';
      };
      const first = await denyRange('203.0.113.0/24');
      assert.equal((await post(ADDRESS)).status, 403);
      await run(allow, { positionals: [first] });
      const second = await denyRange('198.51.100.0/24');
      assert.deepEqual([(await post(ADDRESS)).status, (await post(OTHER)).status], [201, 403]);
      await run(allow, { positionals: [second] });
    });

    it('refuses what would deny everybody by mistake', async () => {
      const local = await request('POST /api/guestbook', { body: { name: 'a', note: 'local' } });
      await assert.rejects(denyBehind(local.json.id), /TRUSTED_PROXIES/);
      await assert.rejects(denyBehind(`post_${UNKNOWN_UUID}`), /last 24 hours/);
      await assert.rejects(denyBehind(local.json.id, { reason: undefined }), UsageError);
      await assert.rejects(
        run(deny, { behind: IDEA, positionals: ['203.0.113.7'], reason: 'x' }),
        UsageError,
      );
      clock.advance(24 * 3_600_000);
      const ids = [];
      for (let n = 0; n < 3; n++) ids.push((await post(ADDRESS)).json.id);
      await post(OTHER);
      await assert.rejects(
        denyBehind(ids[0], { yes: false }),
        /3 of the 4 writes of that day.*TRUSTED_PROXIES.*\n.*--yes/,
      );
      assert.equal((await post(ADDRESS)).status, 201);
    });

    it('a denial ends by itself, also for this machine it never begins', async () => {
      const [line = ''] = await run(deny, { positionals: [ADDRESS], for: '1h', reason: 'x' });
      assert.match(line, /until 2026-03-03 17:00 UTC/);
      assert.equal((await post(ADDRESS)).status, 403);
      clock.advance(3_600_000);
      assert.equal((await post(ADDRESS)).status, 201);
      // The clock of this test jumps, and a folder believes a jump a day after it has seen it.
      await privateStore.prune();
      clock.advance(24 * 3_600_000);
      await privateStore.prune();
      assert.deepEqual(await privateStore.denials(), []);
      await privateStore.addDenial({
        at: clock.now(),
        until: clock.now() + 1e9,
        reason: 'x',
        range: '127.0.0.0/8',
      });
      assert.equal((await request('POST /api/feed', { body: { message: LOOPBACK_CLIENT } })).status, 201);
    });
  });
}
