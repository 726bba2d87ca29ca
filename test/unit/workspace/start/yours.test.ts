import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { jsonBytes } from '#workspace/reading/page.ts';
import { keyFor, signerFor } from '../../../support/author-key.ts';
import { openPorch } from '../../../support/porch.ts';
import { readOwnStart } from '#workspace/start/start.ts';
import { ENGINES } from '../../../support/store/engines.ts';
import { hide } from '../../../support/store/writes.ts';

const review = (outcome: string, evidence = 'row 3'): string =>
  `REVIEW: y\nOutcome: ${outcome}\nEvidence: ${evidence}`;

for (const [engine, place] of Object.entries(ENGINES))
  describe(`yours on ${engine}`, () => {
    async function open(t: TestContext) {
      const porch = await openPorch(t, place());
      const post = (message: string, replyTo?: string, name?: string): Promise<string> =>
        name === undefined ? porch.post(message, replyTo) : porch.signed(message, replyTo, name);
      const yours = async (name: string) =>
        (await readOwnStart(porch.workspace, { authorKey: keyFor(name), newAuthorKey: false })).yours ??
        assert.fail();
      return { post, yours, store: porch.store };
    }

    it('names first whom to trust by a confirmed RESULT, however many others have posted since', async (t) => {
      const { post, yours } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Ann');
      await post(`Trust: ${signerFor('Bob', idea)}`, idea, 'Ann');
      const result = await post('RESULT: of Cid', idea, 'Cid');
      await post(review('confirmed'), result, 'Bob');
      for (let n = 0; n < 6; n++) await post(`RESULT: junk ${n}`, idea, `stranger ${n}`);
      const { mayTrust } = await yours('Ann');
      const firstTwo = mayTrust.slice(0, 2).map(({ name }) => name);
      assert.deepEqual(firstTwo, ['Cid', 'stranger 5']);
    });

    it('has open WORKs, RESULTs and own REVIEWs of one key in all threads, and how they stand', async (t) => {
      const { post, yours, store } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Bob');
      const other = await post('IDEA: y', undefined, 'Cid');
      await post('WORK: done', idea, 'Ann');
      const first = await post('RESULT: the first', idea, 'Ann');
      const second = await post('RESULT: the second', other, 'Ann');
      const work = await post('WORK: open\nNext update by (UTC): 2999-01-01 00:00', other, 'Ann');
      await post(review('confirmed'), first, 'Bob');
      const theirs = await post('RESULT: theirs', idea, 'Dan');
      const counted = await post(review('confirmed'), theirs, 'Ann');
      const flawed = await post(review('confirmed', ''), theirs, 'Ann');
      await post('WORK: of nobody', other);
      const named = await post('WORK: forged', other);
      const { works, results, reviews, mayTrust, more } = await yours('Ann');
      const [here, there] = [signerFor('Ann', idea), signerFor('Ann', other)];
      const listed = works.map(({ id, rootId, signer }) => [id, rootId, signer]);
      assert.deepEqual(listed, [[work, other, there]]);
      assert.deepEqual(results, [
        { id: second, rootId: other, signer: there, standing: 'unreviewed' },
        { id: first, rootId: idea, signer: here, standing: 'confirmed' },
      ]);
      const counts = { for: theirs, as: 'confirmed', trusted: true };
      assert.deepEqual(reviews, [
        { id: flawed, rootId: idea, signer: here, counts: null },
        { id: counted, rootId: idea, signer: here, counts },
      ]);
      assert.deepEqual([mayTrust, more], [[], undefined]);
      assert.ok(!JSON.stringify(await yours('Ann')).includes(named));
      await hide(store, second);
      const ids = (await yours('Ann')).results.map(({ id }) => id);
      assert.deepEqual(ids, [first]);
      assert.deepEqual(await yours('nobody'), {
        works: [],
        results: [],
        reviews: [],
        answers: [],
        mayTrust: [],
      });
    });

    it('says of a RESULT that still stands that its writer has withdrawn it', async (t) => {
      const { post, yours } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Bob');
      const result = await post('RESULT: y', idea, 'Ann');
      await post(review('confirmed'), result, 'Bob');
      const withdrawn = await post('REVIEW: x\nOutcome: withdrawn', result, 'Ann');
      const [found] = (await yours('Ann')).results;
      assert.deepEqual([found?.standing, found?.withdrawn], ['confirmed', withdrawn]);
    });

    it('has answers since the newest message, those of trusted signers first, one of each signer', async (t) => {
      const { post, yours, store } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Bob');
      const result = await post('RESULT: y', idea, 'Ann');
      await post('too early', result, 'Cid');
      const last = await post('my newest', idea, 'Ann');
      const trusted = await post(review('not confirmed'), result, 'Bob');
      const plain = await post(`no key, on ${result}`, idea);
      await post('an earlier one', result, 'Cid');
      const later = await post(`the newest of Cid, on ${result}`, idea, 'Cid');
      const elsewhere = await post(`IDEA: of another thread, on ${result}`, undefined, 'Eve');
      const aReply = await post(`see ${result}`, elsewhere, 'Eve');
      await post(`about ${last}, which is no result`, idea, 'Dan');
      const reviewed = await post('REVIEW: it holds', result);
      const { answers, more } = await yours('Ann');
      assert.deepEqual(
        answers.map(({ id, to, trusted: counts, name }) => [id, to, counts, name]),
        [
          [trusted, result, true, 'Bob'],
          [aReply, result, false, 'Eve'],
          [later, result, false, 'Cid'],
          [reviewed, result, false, null],
          [plain, result, false, null],
        ],
      );
      assert.equal(more, undefined);
      const seen = [answers[0]?.outcome, answers[0]?.signer, answers[3]?.prefix, 'signer' in answers[4]!];
      assert.deepEqual(seen, ['not confirmed', signerFor('Bob', idea), 'REVIEW', false]);
      await hide(store, trusted);
      assert.equal((await yours('Ann')).answers[0]?.id, aReply);
      const newest = await post('read', idea, 'Ann');
      assert.deepEqual((await yours('Ann')).answers, []);
      assert.ok(!JSON.stringify(await yours('Ann')).includes(newest));
    });

    it('has whom the key might trust in its threads, until it trusts or distrusts them', async (t) => {
      const { post, yours } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Ann');
      const foreign = await post('IDEA: y', undefined, 'Bob');
      await post('RESULT: elsewhere', foreign, 'Cid');
      const first = await post('RESULT: 1', idea, 'Cid');
      const second = await post('RESULT: 2', idea, 'Dan');
      const third = await post(review('partly confirmed'), first, 'Dan');
      await post('well done', idea, 'Eve');
      await post('RESULT: without a key', idea);
      const listed = async () =>
        (await yours('Ann')).mayTrust.map(({ rootId, signer, name, wrote }) => [rootId, signer, name, wrote]);
      const [cid, dan] = ['Cid', 'Dan'].map((name) => signerFor(name, idea));
      assert.deepEqual(await listed(), [
        [idea, dan, 'Dan', [third, second]],
        [idea, cid, 'Cid', [first]],
      ]);
      for (let n = 0; n < 2; n++) await post(`RESULT: more ${n}`, idea, 'Dan');
      const [most, least] = (await yours('Ann')).mayTrust;
      assert.deepEqual([most?.wrote.length, most?.more, least?.more], [3, true, undefined]);
      await post(`Trust: ${dan}`, idea, 'Ann');
      assert.deepEqual(await listed(), [[idea, cid, 'Cid', [first]]]);
      await post(`Distrust: ${cid}`, idea, 'Ann');
      assert.deepEqual(await listed(), []);
    });

    it('lists five of each in at most 4,000 bytes, and says that there are more', async (t) => {
      const { post, yours } = await open(t);
      const idea = await post('IDEA: x', undefined, 'Ann');
      const results: string[] = [];
      for (let n = 0; n < 6; n++) results.unshift(await post(`RESULT: ${n}`, idea, 'Ann'));
      const six = await yours('Ann');
      assert.deepEqual([six.results.map(({ id }) => id), six.more], [results.slice(0, 5), true]);
      for (let n = 0; n < 6; n++) {
        const theirs = await post(`RESULT: of others ${n}`, idea, 'Bob');
        await post(review('confirmed', `row ${n}`), theirs, 'Ann');
        await post(`WORK: ${n}\nNext update by (UTC): 2999-01-01 00:00`, idea, 'Ann');
      }
      for (let n = 0; n < 6; n++) await post(`RESULT: about ${results[n]}`, idea, '\u{1F984}'.repeat(79 - n));
      const full = await yours('Ann');
      assert.ok(jsonBytes(full) <= 4000, `${jsonBytes(full)} bytes`);
      assert.equal(full.more, true);
      assert.ok(Object.values(full).flat().length > 9);
    });
  });
