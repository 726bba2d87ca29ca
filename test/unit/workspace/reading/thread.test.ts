import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { WorkspaceError } from '#workspace/service/errors.ts';
import { readThreadMessages, readThreadPreviews } from '#workspace/reading/thread.ts';
import { readThreadState } from '#workspace/reading/thread-state.ts';
import { readFeed } from '#workspace/reading/feed.ts';
import { readUpdates } from '#workspace/reading/updates.ts';
import { openPorch } from '../../../support/porch.ts';
import { signerFor } from '../../../support/author-key.ts';
import { ENGINES } from '../../../support/store/engines.ts';
import { erase, hide, unhide } from '../../../support/store/writes.ts';
import { firstOf } from '../../../support/thorough.ts';

for (const [engine, place] of Object.entries(ENGINES)) {
  describe(`on ${engine}`, () => {
    async function open(t: TestContext) {
      const porch = await openPorch(t, place());
      const { workspace } = porch;
      const read = (postId: string, given: object = {}, caller: object = {}) =>
        readThreadMessages(workspace, { postId, limit: 50, ...given }, caller);
      const preview = (postId: string) => readThreadPreviews(workspace, { postId, limit: 50 }, {});
      return { ...porch, read, preview };
    }

    it('with view = preview the post and the replies have excerpts and what they refer to', async (t) => {
      const { workspace, post } = await open(t);
      const top = await post('long '.repeat(100));
      const reply = await post('reply '.repeat(100), top);
      for (const whole of [true, false]) {
        const query = { postId: top, whole, limit: 50 };
        const { post: first, replies } = await readThreadPreviews(workspace, query, { textBudget: 600 });
        assert.equal('referredToBy' in first, false);
        for (const [shown, id, refersTo] of [
          [first, top, []],
          [replies[0]!, reply, [top]],
        ] as const) {
          assert.deepEqual([shown.id, shown.refersTo, 'message' in shown], [id, refersTo, false]);
          assert.ok(shown.excerpt.length === 280 && shown.excerpt.endsWith('…'));
        }
      }
    });

    it('where the first post is hidden or erased, the post that was asked for stands in its place', async (t) => {
      const { store, post, read } = await open(t);
      const top = await post('top');
      const replies = [await post('a', top), await post('b', top)] as const;
      const child = await post('of a', replies[0]);
      await hide(store, replies[0]);
      const kept = (await read(top, { whole: true })).replies;
      assert.deepEqual(
        kept.map((reply) => [reply.id, 'parentId' in reply && reply.parentId]),
        [
          [replies[1], top],
          [child, replies[0]],
        ],
      );
      await unhide(store, replies[0]);
      for (const moderate of [hide, erase]) {
        await moderate(store, top);
        const page = await read(replies[1], { whole: true });
        assert.deepEqual([page.post.id, page.parentId, page.threadCount], [replies[1], top, 3]);
        const [first, ...rest] = page.replies;
        assert.deepEqual([first?.id, rest.map(({ id }) => id)], [replies[0], [child]]);
        const pages = [await read(replies[1], { whole: true, limit: 1 })];
        pages.push(await read(replies[1], { whole: true, limit: 1, after: pages[0]!.nextAfter }));
        const ids = pages.flatMap((one) => one.replies.map(({ id }) => id));
        assert.deepEqual(ids, [replies[0], child]);
        assert.deepEqual([typeof pages[0]!.nextAfter, pages[1]!.nextAfter], ['string', null]);
        await assert.rejects(read(top, { whole: true }), /no visible post with this id/);
      }
    });

    it('a page of a whole thread ends with the text that reaches the budget, and nextAfter goes on', async (t) => {
      const { post, read } = await open(t);
      const top = await post('top');
      const ids: string[] = [];
      for (let n = 0; n < 7; n++) ids.push(await post(`${n}`.repeat(100), top));
      const seen: string[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const page = await read(top, { whole: true, after }, { textBudget: 150 });
        assert.ok(page.replies.length <= 2);
        seen.push(...page.replies.map(({ id }) => id));
        after = page.nextAfter;
      }
      assert.deepEqual(seen, ids);
      const last = await read(top, { whole: true, limit: 7 });
      assert.equal(last.nextAfter, null);
    });

    it('with view = state from any post: what is known, by whom, and what is left to do', async (t) => {
      const { workspace, store, clock, signed } = await open(t);
      const idea = await signed('IDEA: wells of the north\nParts: a; b; c', undefined, 'Bob');
      const checked = await signed('RESULT: **wells** of part a\nPart: a', idea, 'Ann');
      const refuted = await signed('RESULT: wells of part b\nPart: b', idea, 'Ann');
      const waiting = await signed('RESULT: all wells', idea, 'Ann');
      const [ann, bob, cid] = ['Ann', 'Bob', 'Cid'].map((name) => signerFor(name, idea)) as [
        string,
        string,
        string,
      ];
      const review = (id: string, outcome: string, evidence: string, name: string): Promise<string> =>
        signed(`REVIEW: of ${id}\nOutcome: ${outcome}\nEvidence: ${evidence}`, id, name);
      const confirming = await review(
        checked,
        'confirmed',
        '\n- ran it\n  again: two\u0085lines\nRemaining uncertainty: row 9\nFindings / corrections: row 2',
        'Bob',
      );
      const partly = await review(checked, 'partly confirmed', 'all but row 2', 'Cid');
      await review(refuted, 'not confirmed', 'row 3 is wrong', 'Bob');
      const work = await signed('WORK: part b anew\nPart: b', idea, 'Ann');
      const line = await signed(`Distrust: ${cid}`, idea, 'Bob');
      const { state, ...page } = await readThreadState(workspace, { postId: waiting });
      const timeOf = async (id: string) => (await store.read.find('post', id))!.record.createdAt;
      const byAnn = { name: 'Ann', signer: ann };
      assert.deepEqual(state, {
        rootId: idea,
        title: 'wells of the north',
        newest: { id: line, prefix: null, name: 'Bob', signer: bob, createdAt: await timeOf(line) },
        counts: { underWay: 1, confirmed: 1, unreviewed: 1, refuted: 1 },
        decidedBy: 'The reviews of 2 signers count here: the opener has two votes, the others have one each.',
        trusted: [
          { name: 'Bob', signer: bob, why: 'opened' },
          { ...byAnn, why: 'confirmed', by: confirming },
        ],
        distrusted: [{ name: 'Cid', signer: cid, why: 'named', by: line }],
        parts: [
          { name: 'a', state: 'confirmed', result: checked },
          { name: 'b', state: 'underWay', work, refuted: [refuted] },
          { name: 'c', state: 'free' },
        ],
        results: [
          {
            id: checked,
            title: 'wells of part a',
            ...byAnn,
            standing: 'confirmed',
            since: await timeOf(confirming),
            checked: [
              {
                id: confirming,
                name: 'Bob',
                signer: bob,
                did: 'ran it again: two lines',
                leftOpen: 'row 9',
                foundWrong: 'row 2',
              },
            ],
            others: [{ outcome: 'partly confirmed', id: partly, name: 'Cid', signer: cid, distrusted: true }],
          },
        ],
        underWay: [
          { id: work, ...byAnn, dueAt: state!.underWay[0]!.dueAt, parts: ['b'], title: 'part b anew' },
        ],
        toReview: [
          { id: waiting, title: 'all wells', ...byAnn, standing: 'unreviewed', since: await timeOf(waiting) },
        ],
        setAside: [{ id: refuted, why: 'refuted' }],
      });
      const shown = [page.threadCount, page.parentId, page.readUpTo, page.notice.length > 0];
      assert.deepEqual(shown, [9, null, state!.newest.createdAt, true]);
      const expiries: number[] = [];
      clock.advance(25 * 3_600_000);
      const later = (await readThreadState(workspace, { postId: idea }, (time) => expiries.push(time)))
        .state!;
      const seen = [later.underWay, later.parts[1], expiries];
      assert.deepEqual(seen, [[], { name: 'b', state: 'refuted', refuted: [refuted] }, []]);
      await assert.rejects(readThreadState(workspace, { postId: 'post_x' }), /no visible post/);
    });

    for (const letter of firstOf(['🏮', '\u00a0\u0301x', 'a', '字', '"'], 2))
      it(`with view = state a thread of long texts of ${JSON.stringify(letter)} has at most 6,000 bytes`, async (t) => {
        const { workspace, signed } = await open(t);
        const text = letter.repeat(300);
        const name = (n: number): string => `${String(n)}${letter.repeat(70 / Array.from(letter).length)}`;
        const opener = name(20);
        const idea = await signed(
          `IDEA: ${text}\nParts: ${Array.from({ length: 20 }, (_, n) => `${String(n)} ${letter.repeat(20)}`).join('; ')}`,
          undefined,
          opener,
        );
        for (let n = 0; n < 14; n++) {
          const result = await signed(`RESULT: ${String(n)} ${text}`, idea, name(n));
          await signed(`REVIEW: of it\nOutcome: confirmed\nEvidence: row 3 ${text}`, result, opener);
          const rejected = await signed(`RESULT: not ${String(n)} ${text}`, idea, name(n));
          await signed(`REVIEW: of it\nOutcome: not confirmed\nEvidence: row 3 ${text}`, rejected, opener);
          await signed(`WORK: ${text}`, idea, name(n));
        }
        const page = await readThreadState(workspace, { postId: idea });
        const bytes = Buffer.byteLength(JSON.stringify(page));
        assert.ok(bytes <= 6000 && bytes > 5000, `${bytes} bytes`);
        const { counts, results, parts, underWay, setAside = [], trusted, more } = page.state!;
        assert.deepEqual(counts, { confirmed: 14, refuted: 14, underWay: 14 });
        assert.ok(parts.length >= 4 && results.length >= 4, `${parts.length} ${results.length}`);
        const leftOut = {
          ...(trusted.length < 15 && { trusted: 15 - trusted.length }),
          ...(parts.length < 20 && { parts: 20 - parts.length }),
          ...(results.length < 14 && { results: 14 - results.length }),
          ...(underWay.length < 14 && { underWay: 14 - underWay.length }),
          ...(setAside.length < 14 && { setAside: 14 - setAside.length }),
        };
        assert.deepEqual(more, leftOut);
      });

    it('with view = state a line for each of fifteen RESULTs fits, and what is left out is counted', async (t) => {
      const { workspace, signed } = await open(t);
      const idea = await signed('IDEA: x', undefined, 'B');
      const ids: string[] = [];
      for (let n = 0; n < 15; n++) {
        const result = await signed(
          `RESULT: table ${String(n)} of the wells of the northern valley`,
          idea,
          'A',
        );
        await signed('REVIEW: y\nOutcome: confirmed\nEvidence: z', result, 'B');
        ids.unshift(result);
      }
      const { results, more } = (await readThreadState(workspace, { postId: idea })).state!;
      assert.deepEqual([results.map(({ id }) => id), more], [ids, undefined]);
      const [whole, cut] = [
        results.filter((one) => one.more === undefined),
        results.filter((one) => one.more),
      ];
      assert.ok(whole.every(({ checked }) => checked?.length === 1));
      assert.ok(cut.every(({ checked }) => checked === undefined));
    });

    it('with view = state and viewer the standings are as that signer sees them', async (t) => {
      const { workspace, post, signed } = await open(t);
      const idea = await signed('IDEA: x', undefined, 'Ann');
      const result = await signed('RESULT: y', idea, 'Bob');
      await signed('REVIEW: y\nOutcome: not confirmed\nEvidence: row 3', result, 'Cid');
      await post('a plain answer', idea, 'Dan');
      const briefOf = async (given: object) => {
        const { counts, toReview, setAside } = (
          await readThreadState(workspace, { postId: result, ...given })
        ).state!;
        return [counts, toReview[0]?.others?.map(({ outcome }) => outcome) ?? setAside];
      };
      const cid = signerFor('Cid', idea);
      assert.deepEqual(await briefOf({}), [{ reviewed: 1 }, ['not confirmed']]);
      assert.deepEqual(await briefOf({ viewer: cid }), [{ refuted: 1 }, [{ id: result, why: 'refuted' }]]);
      for (const viewer of ['x', signerFor('Eve', idea), 'Cid'])
        await assert.rejects(
          briefOf({ viewer }),
          (error: WorkspaceError) =>
            error.failure.code === 'invalid_request' && error.failure.errors?.[0]?.path === 'viewer',
        );
    });

    it('referredToBy lists the newest 20 posts that reply to the post or name it', async (t) => {
      const { store, post, read } = await open(t);
      const top = await post('IDEA: x');
      const referrers: string[] = [];
      for (let n = 0; n < 25; n++)
        referrers.unshift(await (n % 2 === 0 ? post('a reply', top) : post(`RESULT: of ${top}`)));
      const { referredToBy } = (await read(top)).post;
      const named = referredToBy.map(({ id }) => id);
      assert.deepEqual(named, referrers.slice(0, 20));
      const prefixes = referredToBy.slice(0, 2).map(({ prefix }) => prefix);
      assert.deepEqual(prefixes, [null, 'RESULT']);
      await hide(store, referrers[0]!);
      await erase(store, referrers[1]!);
      const whole = await read(referrers[2]!, { whole: true });
      assert.equal(whole.post.id, top);
      const ids = whole.post.referredToBy.map(({ id }) => id);
      assert.deepEqual(ids, referrers.slice(2, 22));
    });

    it('a RESULT has its standing, who checked it and who says otherwise, and a REVIEW what it checks', async (t) => {
      const { workspace, store, signed, read } = await open(t);
      const idea = await signed('IDEA: x', undefined, 'Bob');
      const result = await signed('RESULT: 1', idea, 'Ann');
      const review = (outcome: string, name: string): Promise<string> =>
        signed(`REVIEW: a\nOutcome: ${outcome}\nEvidence: row 3`, result, name);
      const first = await review('not confirmed', 'Bob');
      const second = await review('confirmed', 'Eve');
      await signed(`Trust: ${signerFor('Eve', idea)}`, idea, 'Bob');
      const said = {
        standing: 'refuted',
        checked: [{ id: first, name: 'Bob', signer: signerFor('Bob', idea) }],
        others: [
          { outcome: 'confirmed', id: second, name: 'Eve', signer: signerFor('Eve', idea), trusted: true },
        ],
      };
      const saidOf = (message: object): unknown => {
        const { standing, checked, others } = message as typeof said;
        return { standing, checked, others };
      };
      assert.deepEqual(saidOf((await read(result)).post), said);
      assert.deepEqual((await read(result)).replies[0]?.checks, [result]);
      assert.equal('checked' in (await read(idea)).post, false);
      const query = { prefix: 'RESULT', limit: 50, threads: false, view: 'full' } as const;
      const inLists = async (): Promise<unknown[]> => {
        const { messages: listed } = await readFeed(workspace, query, {});
        const after = '2026-01-01T00:00:00Z';
        const news = await readUpdates(workspace, { ...query, after, view: 'preview', waitSeconds: 0 }, {});
        return [listed.at(-1)!, news.messages![0]!].map(saidOf);
      };
      assert.deepEqual(await inLists(), [said, said]);
      const replacing = await signed(`RESULT: 2\nCorrects: ${result}`, idea, 'Ann');
      const { standing, replacedBy } = (await read(result)).post;
      assert.deepEqual([standing, replacedBy], ['replaced', replacing]);
      for (const id of [replacing, first, second]) await hide(store, id);
      const nothing = { standing: 'unreviewed', checked: undefined, others: undefined };
      assert.deepEqual(saidOf((await read(result)).post), nothing);
      assert.deepEqual(await inLists(), [nothing, nothing]);
    });

    it('refersTo leaves out ids that never were here, and keeps those of hidden messages, five in a preview', async (t) => {
      const { store, post, read, preview } = await open(t);
      const ids: string[] = [];
      for (let n = 0; n < 7; n++) ids.push(await post(`message ${n}`));
      const naming = await post(`see post_01a214ad-06aa-73b3-b136-000000000000 and ${ids.join(' ')}`);
      await hide(store, ids[0]!);
      assert.deepEqual((await read(naming)).post.refersTo, ids);
      assert.deepEqual((await preview(naming)).post.refersTo, ids.slice(0, 5));
    });

    it('readUpTo covers what the answer shows, and nothing that a later page has', async (t) => {
      const { post, read } = await open(t);
      const top = await post('IDEA: x');
      const answer = await post('an answer', top);
      await post('an answer to it', answer);
      const last = await post(`see ${top}`, answer);
      const timeOf = async (id: string): Promise<string> => (await read(id)).post.createdAt;
      assert.equal((await read(top)).readUpTo, await timeOf(last));
      assert.equal((await read(top, { whole: true, limit: 1 })).readUpTo, await timeOf(answer));
      assert.equal((await read(top, { whole: true })).readUpTo, await timeOf(last));
      const after = '2999-01-01T00:00:00.000000Z';
      assert.equal((await read(top, { whole: true, after })).readUpTo, after);
    });

    it('with view = state readUpTo covers no WORK that the state lacks, if one comes while it is read', async (t) => {
      const { workspace, signed } = await open(t);
      const idea = await signed('IDEA: x', undefined, 'Ann');
      const { read } = workspace.store;
      const readPage = read.page.bind(read);
      t.mock.method(read, 'page', async (...asked: Parameters<typeof readPage>) => {
        t.mock.restoreAll();
        await signed('WORK: x', idea, 'Ann');
        return readPage(...asked);
      });
      const { state, readUpTo } = await readThreadState(workspace, { postId: idea });
      const works = state!.underWay.map(({ id }) => id);
      assert.deepEqual([readUpTo, works], [state!.newest.createdAt, [state!.newest.id]]);
    });
  });
}
