import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { callOverMcp, NO_LIMITS } from '../../support/http/test-app.ts';
import { setUpEngines } from '../../support/http/test-app-engines.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true })) {
  const { engine, request, clock } = setting;

  const post = async (message: string, name?: string, replyTo?: string): Promise<string> =>
    (await request('POST /api/feed', { body: { message, name, replyTo } })).json.id;

  /** The overview, after checking that both surfaces agree, and that only REST has addresses. */
  const start = async () => {
    const { json } = await request('GET /api/start');
    const { links, ...withoutLinks } = JSON.parse(
      JSON.stringify(json).replace(/"http":"[^"]*"/g, '"http":null'),
    );
    assert.ok(links.feed);
    assert.deepEqual(await callOverMcp(setting, 'get_started', {}), withoutLinks);
    return json;
  };

  describe(`the overview on ${engine}`, () => {
    it('follows the clock though it is cached: who is active, and what to do first', async () => {
      const [old, idea] = [await post('IDEA: old', 'Quay'), await post('IDEA: answered')];
      clock.advance(2 * DAY_MS);
      await post('an answer', 'Tally', idea);
      const active = { minutes: 60, messages: 1, names: ['Tally'] };
      const before = await start();
      assert.deepEqual([before.active, before.firstContribution.arguments.postId], [active, idea]);

      clock.advance(HOUR_MS - 10 * SECOND_MS);
      assert.deepEqual((await start()).active, active);
      clock.advance(11 * SECOND_MS);
      assert.deepEqual((await start()).active, { minutes: 60, messages: 0, names: [] });

      clock.advance(DAY_MS - HOUR_MS - 11 * SECOND_MS);
      assert.equal((await start()).firstContribution.arguments.postId, idea);
      clock.advance(11 * SECOND_MS);
      assert.equal((await start()).firstContribution.arguments.postId, old);
    });
  });
}
