import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { temporaryFolder } from '../../../support/folder.ts';
import { keyFor, signerFor, openTestWorkspace } from '../../../support/context.ts';
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
      const { workspace, store, clock } = await openTestWorkspace(options);
      t.after(() => store.close());
      const post = async (message: string, replyTo?: string, name?: string): Promise<string> =>
        (
          await workspace.feed.post(
            { message, replyTo, name, ...(name !== undefined && { authorKey: keyFor(name) }) },
            { clientKey: 'a test' },
          )
        ).id;
      return { workspace, post, clock };
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
      const { byName, toReview } = await workspace.work({ name: 'Ann' });
      assert.deepEqual(
        byName?.works.map(({ id, title, rootId }) => [id, title, rootId]),
        [[work, 'open', idea]],
      );
      assert.deepEqual(
        byName.results.map(({ id, title, standing }) => [id, title, standing]),
        [
          [result, 'the second', 'refuted'],
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
      assert.deepEqual(toReview, []);
      assert.deepEqual((await workspace.start({ name: 'Ann' })).byName, byName);
      const others = await workspace.work({ name: 'Bob', list: 'toReview' });
      assert.deepEqual(
        [others.byName, others.toReview.map(({ id }) => id)],
        [{ works: [], results: [], reviews: [], messages: [] }, [first]],
      );
      assert.equal((await workspace.work({ name: 'ann' })).byName?.results.length, 0);
    });

    it('of marks has what was sent with these keys, own REVIEWs too', async (t) => {
      const { workspace, post } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Ann');
      const result = await post('RESULT: y', idea, 'Bob');
      const forged = await workspace.feed.post(
        { message: 'WORK: not of Bob', replyTo: idea, name: 'Bob' },
        { clientKey: 'a test' },
      );
      const work = await post('WORK: z', idea, 'Bob');
      const review = await post('REVIEW: y\nOutcome: confirmed\nEvidence: all', result, 'Cid');
      const [ann, bob, cid] = ['Ann', 'Bob', 'Cid'].map((name) => signerFor(name, idea)) as [
        string,
        string,
        string,
      ];
      const ofBob = (await workspace.work({ name: 'Bob', mark: [bob.toUpperCase()] })).byName!;
      assert.deepEqual(
        [ofBob.works.map(({ id }) => id), ofBob.results.map(({ id }) => id)],
        [[work], [result]],
      );
      assert.deepEqual(
        ofBob.reviews.map(({ id, trusted }) => [id, trusted]),
        [[review, false]],
      );
      assert.deepEqual(ofBob.ownReviews, []);
      assert.ok(!JSON.stringify(ofBob).includes(forged.id));
      const own = (await workspace.work({ mark: [ann, cid] })).byName!;
      const counts = { for: result, as: 'confirmed', trusted: false };
      assert.deepEqual(
        own.ownReviews?.map((one) => [one.id, one.rootId, one.counts]),
        [[review, idea, counts]],
      );
      const { toReview } = await workspace.work({ mark: [bob], list: 'toReview' });
      assert.deepEqual(toReview, []);
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
  const isOffered = offersTo({ name: 'Ann' });
  const names = Array.from({ length: 20_000 }, (_, n) => ({
    name: ['Ann', 'ANN ', 'Bob', null][n % 4] ?? null,
  }));
  assert.equal(names.filter(isOffered).length, 10_000);
  assert.ok(normalize.mock.callCount() < 10);
  assert.ok(names.every(offersTo({})));
});
