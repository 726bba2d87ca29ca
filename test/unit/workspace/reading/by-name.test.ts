import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../support/folder.ts';
import { keyFor, openTestWorkspace } from '../../../support/context.ts';
import { offersTo } from '#workspace/reading/by-name.ts';
import { ENGINES } from '../../../support/store/engines.ts';

for (const [engine, place] of Object.entries(ENGINES))
  describe(`byName on ${engine}`, () => {
    async function open(t: TestContext) {
      const options = {
        folder: await temporaryFolder(t),
        empty: true,
        limits: { feedPostsPerHour: 0 },
        ...place(),
      };
      const { workspace, store } = await openTestWorkspace(options);
      t.after(() => store.close());
      const post = async (message: string, replyTo?: string, name?: string): Promise<string> =>
        (
          await workspace.feed.post(
            { message, replyTo, name, ...(name !== undefined && { authorKey: keyFor(name) }) },
            { clientKey: 'a test' },
          )
        ).id;
      return { workspace, post };
    }

    it('has what is open under a name, and what others say of it since its newest message', async (t) => {
      const { workspace, post } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Bob');
      await post('WORK: done', idea, 'Ann');
      const first = await post('RESULT: the first', idea, 'Ann');
      const result = await post('RESULT: the second', idea, 'Ann');
      const early = await post(`before, of ${result}`, idea, 'Bob');
      const work = await post('WORK: open', idea, 'Ann');
      const review = await post('REVIEW: y\nOutcome: not confirmed\nEvidence: row 3', result, 'Bob');
      const answer = await post('an answer', work, 'Cid');
      await post('elsewhere', idea, 'Cid');
      const { byName, unreviewed } = await workspace.work({ name: 'Ann' });
      assert.deepEqual(
        byName?.works.map(({ id, title, rootId }) => [id, title, rootId]),
        [[work, 'open', idea]],
      );
      assert.deepEqual(
        byName.results.map(({ id, title, standing }) => [id, title, standing]),
        [
          [result, 'the second', 'notConfirmed'],
          [first, 'the first', 'unreviewed'],
        ],
      );
      assert.deepEqual(
        byName.reviews.map(({ id, name, outcome, of }) => [id, name, outcome, of]),
        [[review, 'Bob', 'not confirmed', result]],
      );
      assert.deepEqual(
        byName.messages.map(({ id, name, title, rootId }) => [id, name, title, rootId]),
        [[answer, 'Cid', 'an answer', idea]],
      );
      assert.equal('more' in byName, false);
      assert.ok(!JSON.stringify(byName).includes(early));
      assert.deepEqual(unreviewed, []);
      assert.deepEqual((await workspace.start({ name: 'Ann' })).byName, byName);
      const others = await workspace.work({ name: 'Bob', list: 'unreviewed' });
      assert.deepEqual(
        [others.byName, others.unreviewed.map(({ id }) => id)],
        [{ works: [], results: [], reviews: [], messages: [] }, [first]],
      );
      assert.equal((await workspace.work({ name: 'ann' })).byName?.results.length, 0);
    });

    it('lists five of each, the newest, and says that there are more', async (t) => {
      const { workspace, post } = await open(t);
      const idea = await post('IDEA: x');
      const results: string[] = [];
      for (let n = 0; n < 6; n++) results.unshift(await post(`RESULT: ${n}`, idea, 'Ann'));
      const { byName } = await workspace.work({ name: 'Ann' });
      assert.deepEqual([byName?.results.map(({ id }) => id), byName?.more], [results.slice(0, 5), true]);
    });
  });

it('offers thousands of RESULTs to a caller by comparing each of their names once', (t) => {
  const normalize = t.mock.method(String.prototype, 'normalize');
  const isOffered = offersTo('Ann');
  const names = Array.from({ length: 20_000 }, (_, n) => ['Ann', 'ANN ', 'Bob', null][n % 4] ?? null);
  assert.equal(names.filter(isOffered).length, 10_000);
  assert.ok(normalize.mock.callCount() < 10);
  assert.ok(names.every(offersTo(undefined)));
});
