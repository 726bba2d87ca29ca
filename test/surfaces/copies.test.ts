import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { keyFor } from '../support/author-key.ts';
import { parsePage } from '../support/http/html.ts';
import { NO_LIMITS } from '../support/http/test-app.ts';
import { setUpEngines } from '../support/http/test-app-engines.ts';
import { erase } from '../support/store/writes.ts';

const LINES = Array.from({ length: 9 }, (_, n) => `line ${n} of the plan`).join('\n');
const REVIEW = 'REVIEW: x\nOutcome: confirmed\nEvidence: counted all';

const HOUR_MS = 60 * 60 * 1000;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
type Json = Record<string, any>;

for (const { engine, request, store, clock } of await setUpEngines(
  { after },
  { limits: NO_LIMITS, empty: true },
)) {
  const post = async (key: string | undefined, message: string, given: object = {}): Promise<Json> => {
    const body = { message, ...(key !== undefined && { authorKey: keyFor(key) }), ...given };
    return (await request('POST /api/feed', { body })).json as Json;
  };
  const read = async (path: string): Promise<Json> => (await request(`GET ${path}`)).json as Json;
  const page = async (path: string) =>
    parsePage((await request(`GET ${path}`, { headers: { Accept: 'text/html' } })).text);

  describe(`a copy of a thread on ${engine}`, () => {
    it('is told so in its receipt, and comes last and labelled, with what is in it', async () => {
      const older = await post('Ann', `IDEA: wells\n${LINES}`);
      const label = { id: older['id'], equal: 9, of: 10 };
      const copy = await post('Bob', `IDEA: wells again\n${LINES}`);
      const short = `…${older['id'].slice(-4)}`;
      assert.deepEqual(copy['copyOf'], label);
      assert.match(
        copy['warnings'].join(),
        new RegExp(`^Your message is nearly a copy of ${older['id']}, .* 9 of its 10 .*no one`),
      );
      const unsigned = await post(undefined, `IDEA: more wells\n${LINES}`);
      assert.doesNotMatch(unsigned['warnings'].join(), /Same key as/);
      const [mine, other] = [
        await post('Cid', 'RESULT: 7 wells', { replyTo: copy['id'] }),
        await post('Cid', 'RESULT: 8 wells', { replyTo: older['id'] }),
      ];
      const work = await post('Bob', 'WORK: wells', { replyTo: copy['id'] });
      await post('Cid', 'WORK: wells too', { replyTo: older['id'] });
      const board = await read('/api/work');
      const labels = (list: string): unknown[] => board[list].map((one: Json) => [one['id'], one['copyOf']]);
      assert.deepEqual(labels('toReview'), [
        [other['id'], undefined],
        [mine['id'], label],
      ]);
      assert.deepEqual(labels('working').at(-1), [work['id'], label]);
      const ids = board['ideas'].map(({ id }: Json) => id);
      assert.deepEqual(
        ids,
        [older, unsigned, copy].map(({ id }) => id),
      );
      const start = await read('/api/start');
      const offeredIds = ['openIdeas', 'toReview'].map((list) => start[list].map(({ id }: Json) => id));
      assert.deepEqual(offeredIds, [[older['id']], [other['id']]]);
      const offered = JSON.stringify([start['openWorks'], start['firstContribution']]);
      assert.doesNotMatch(offered, new RegExp(mine['id']));
      const home = (await page('/')).all('ol', { class: 'threads' }).map(({ text }) => text.trim());
      assert.match(home.join(), new RegExp(`^wells\\b.*wells again nearly a copy of thread ${short}`, 's'));
      for (const [root, by, result] of [
        [older, 'Ann', other],
        [copy, 'Bob', mine],
      ] as const)
        await post(by, `${REVIEW}\nResult being checked: ${result['id']}`, { replyTo: root['id'] });
      clock.advance(2 * HOUR_MS);
      const feed = (await request('GET /feed.json?standing=confirmed')).json as Json;
      assert.match(feed['items'].at(-1)['tags'].join(), /nearly a copy of another message/);
      const results = (await page('/results')).all('h3', { class: 'over' }).map(({ text }) => text);
      assert.match(results.at(-1)!, new RegExp(`wells again.*, nearly a copy of ${short}`, 's'));
    });

    it('says so first on its page, in its state and its description, and the older one names it', async () => {
      const older = await post('Ann', `IDEA: mills\n${LINES.replaceAll('plan', 'mills')}`);
      const copies = [
        await post('Bob', `IDEA: mills again\n${LINES.replaceAll('plan', 'mills')}`),
        await post(undefined, `IDEA: more mills\n${LINES.replaceAll('plan', 'mills')}`),
      ];
      const words = [
        'Nearly a copy of an older thread by another writer',
        'Nearly a copy of an older thread',
      ];
      for (const [index, { id }] of copies.entries()) {
        const shown = await page(`/posts/${id}`);
        const [lead] = shown.all('header', { class: 'lead' });
        assert.ok(lead?.text.trim().startsWith(`${words[index]}: …`), lead?.text);
        const [description] = shown.all('meta', { property: 'og:description' });
        assert.ok(description?.attributes['content']?.startsWith(`${words[index]}. `));
        const markdown = (await request(`GET /posts/${id}.md`)).text;
        const expected = new RegExp(`^# Thread ${id}\n\n${words[index]}: ${older['id']} has 9 of its 10`);
        assert.match(markdown, expected);
        const { state } = await read(`/api/posts/${id}?view=state`);
        assert.deepEqual(Object.entries(state)[0], ['copyOf', { id: older['id'], equal: 9, of: 10 }]);
        const preview = await read(`/api/posts/${id}?view=preview`);
        assert.equal(preview['post'].copyOf.id, older['id']);
      }
      const ids = copies.map(({ id }) => id);
      assert.deepEqual((await read(`/api/posts/${older['id']}?view=state`))['state'].copies, ids);
      const links = (await page(`/posts/${older['id']}`))
        .all('a')
        .map(({ attributes }) => attributes['href']);
      for (const id of ids) assert.ok(links.includes(`/posts/${id}`));
      const { text } = await request(`GET /posts/${older['id']}.md`);
      assert.match(text, new RegExp(`2 later copies of this thread: ${ids.join(' ')}`));
      const asked = `posts=${older['id']}&after=${older['createdAt']}`;
      for (const view of ['full', 'threads'])
        assert.deepEqual((await read(`/api/updates?${asked}&view=${view}`))['copies'], ids);
      await erase(store, older['id']);
      assert.equal((await read(`/api/posts/${ids[0]}?view=state`))['state'].copyOf, undefined);
      assert.deepEqual((await read(`/api/posts/${ids[0]}?view=state`))['state'].copies, [ids[1]]);
    });

    it('is none of a thread that its opener has opened too, once a line shows that', async () => {
      const older = await post('Ann', `IDEA: dams\n${LINES.replaceAll('plan', 'dams')}`);
      const own = await post('Ann', `IDEA: dams again\n${LINES.replaceAll('plan', 'dams')}`);
      assert.match(own['warnings'].join(), /a line "Same key as:" with that id/);
      const line = `Same key as: ${older['id']}`;
      await post('Bob', line, { replyTo: own['id'] });
      assert.notEqual((await read(`/api/posts/${own['id']}`))['post'].copyOf, undefined);
      await post('Ann', line, { replyTo: own['id'] });
      assert.equal((await read(`/api/posts/${own['id']}`))['post'].copyOf, undefined);
      const told = await post('Ann', `IDEA: dams once more\n${line}\n${LINES.replaceAll('plan', 'dams')}`);
      assert.deepEqual([told['copyOf'], told['warnings']], [undefined, []]);
    });
  });
}
