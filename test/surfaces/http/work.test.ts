import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { keyFor } from '../../support/author-key.ts';
import { assertProblem } from '../../support/http/problem.ts';
import { callOverMcp, NO_LIMITS } from '../../support/http/test-app.ts';
import { setUpEngines } from '../../support/http/test-app-engines.ts';

const HOUR_MS = 3_600_000;
type List = 'ideas' | 'working' | 'overdue' | 'toReview' | 'partlyConfirmed' | 'disputed' | 'confirmed';

for (const setting of await setUpEngines({ after }, { limits: NO_LIMITS, empty: true })) {
  const { engine, request, rpc, clock } = setting;

  /** Sends the key of a name, whatever its case and blanks. @returns the receipt */
  const post = async (message: string, replyTo?: unknown, name?: string) => {
    const authorKey = name === undefined ? undefined : keyFor(name.trim().toLowerCase());
    return (await request('POST /api/feed', { body: { message, replyTo, name, authorKey } })).json;
  };

  const work = async (query = '') => (await request(`GET /api/work${query}`)).json;

  const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

  /** @returns what one list holds on each surface, after checking that they agree */
  async function idsOn(list: List): Promise<string[]> {
    const { [list]: items, counts } = await work();
    const overMcp = await callOverMcp(setting, 'find_work', {});
    assert.deepEqual(overMcp[list], items);
    const read = await rpc('resources/read', { uri: 'porchlight://work' });
    assert.deepEqual(JSON.parse(read.json.result.contents[0].text)[list], items);
    const paged = await work(`?list=${list}`);
    assert.deepEqual(paged[list], items);
    assert.equal(counts[list], items.length);
    return idsOf(items);
  }

  describe(`finding work on ${engine}`, () => {
    it('shows an idea, the work on it, the result and its review as they come, at once and on every surface', async () => {
      const idea = await post('IDEA: walruses', undefined, 'Bob');
      assert.deepEqual(await idsOn('ideas'), [idea.id]);
      const step = await post('WORK: count them\nNext update by (UTC): 2026-03-02 18:00', idea.id, 'Ann');
      assert.deepEqual(await idsOn('ideas'), [idea.id]);
      const [item] = (await work()).working;
      assert.deepEqual(item, {
        id: step.id,
        name: 'Ann',
        signer: step.signer,
        prefix: 'WORK',
        excerpt: 'WORK: count them\nNext update by (UTC): 2026-03-02 18:00',
        rootId: idea.id,
        refersTo: [idea.id],
        createdAt: step.createdAt,
        replyCount: 0,
        dueAt: '2026-03-02T18:00:00.000000Z',
        dueAssumed: false,
        about: [{ id: idea.id, prefix: 'IDEA' }],
        thread: { title: 'walruses', name: 'Bob', signer: idea.signer },
      });
      // No write: the clock alone moves it on, past every cache.
      clock.advance(2 * HOUR_MS - 1);
      assert.deepEqual(await idsOn('working'), [step.id]);
      clock.advance(1);
      assert.deepEqual([await idsOn('working'), await idsOn('overdue')], [[], [step.id]]);
      assert.deepEqual(await idsOn('ideas'), [idea.id]);
      const { counts } = (await request('GET /api/start')).json;
      const others = { toReview: 0, partlyConfirmed: 0, disputed: 0, confirmed: 0 };
      assert.deepEqual(counts, { ideas: 1, working: 0, overdue: 1, ...others });

      const result = await post('RESULT: three', idea.id, ' ann');
      assert.deepEqual([await idsOn('overdue'), await idsOn('ideas')], [[], [idea.id]]);
      assert.deepEqual(await idsOn('toReview'), [result.id]);
      const review = await post(`WORK:\nStep I am taking: a review of ${result.id}`, idea.id, 'Bob');
      const {
        toReview: [waiting],
      } = await work();
      assert.deepEqual(waiting.underWay, [
        { id: review.id, name: 'Bob', signer: review.signer, dueAt: '2026-03-03T18:00:00.000000Z' },
      ]);
      assert.deepEqual([waiting.others, waiting.standing], [undefined, 'unreviewed']);
      const checked = await post(
        `REVIEW:\nResult being checked (post id): ${result.id}\nOutcome: not confirmed\nEvidence: two\nEnds: ${review.id}`,
        idea.id,
        'Bob',
      );
      assert.deepEqual([checked.checks, checked.ended], [[result.id], [review.id]]);
      assert.deepEqual((await work()).ended[0], {
        id: review.id,
        prefix: 'WORK',
        name: 'Bob',
        signer: review.signer,
        rootId: idea.id,
        endedBy: checked.id,
        endedAt: checked.createdAt,
      });
      assert.deepEqual([await idsOn('toReview'), await idsOn('working')], [[], []]);
      assert.deepEqual(await idsOn('disputed'), [result.id]);
      const [disputed] = (await work()).disputed;
      assert.deepEqual(disputed.checked, [{ id: checked.id, name: 'Bob', signer: checked.signer }]);
      const later = await post(`RESULT: four\nCorrects: ${result.id}`, idea.id, 'Cy');
      await post(`REVIEW:\nChecked: ${later.id}\nOutcome: confirmed\nEvidence: four`, idea.id, 'Bob');
      assert.deepEqual(await idsOn('disputed'), [result.id]);
      const { json: thread } = await request(`GET /api/posts/${result.id}`);
      assert.deepEqual([thread.post.standing, thread.post.checked], ['refuted', disputed.checked]);
    });

    it('get_started counts what the clock changes, though it keeps its answer for a minute', async () => {
      const due = new Date(clock.now() + HOUR_MS).toISOString();
      await post(`WORK: an hour\nNext update by: ${due}`, undefined, 'Hour');
      const working = async (): Promise<number> => (await request('GET /api/start')).json.counts.working;
      const before = await working();
      clock.advance(HOUR_MS - 1);
      assert.equal(await working(), before);
      clock.advance(1);
      assert.equal(await working(), before - 1);
      clock.advance(-1);
      assert.equal(await working(), before);
    });

    it('shows an IDEA as ended, with nothing under way, and a later WORK is told so', async () => {
      const idea = await post('IDEA: newts\nParts: ponds', undefined, 'Ada');
      const root = idea.id;
      const { id: begun } = await post('WORK: all of it\nPart: ponds', root, 'Ivo');
      assert.ok((await idsOn('working')).includes(begun));
      const ending = await post(`done\nEnds: ${root}`, root, 'Ada');
      const { state } = await callOverMcp(setting, 'read_thread', { postId: root, view: 'state' });
      assert.deepEqual((await request(`GET /api/posts/${root}?view=state`)).json.state, state);
      assert.deepEqual([state.ended, state.underWay], [[root], []]);
      assert.ok(!(await idsOn('working')).includes(begun));
      assert.deepEqual((await work()).ended[0], {
        id: root,
        prefix: 'IDEA',
        name: 'Ada',
        signer: idea.signer,
        rootId: root,
        endedBy: ending.id,
        endedAt: ending.createdAt,
      });
      const late = await post('WORK: once more\nPart: ponds', root, 'Kim');
      const why =
        'Your WORK is not listed as under way, because the IDEA has ended or all of its parts are done';
      assert.ok((late.warnings as string[]).includes(why));
      for (const path of [`/posts/${root}`, `/posts/${root}.md`])
        assert.match((await request(`GET ${path}`)).text, /Its writer has ended this IDEA\./);
    });

    it('pages one list by a link that carries its filters', async () => {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.push((await post(`IDEA: okapi ${n}`)).id as string);
      await post('IDEA: zebra');
      const found: string[] = [];
      let pages = 0;
      for (
        let next: string | undefined = '/api/work?list=ideas&q=OKAPI&limit=2';
        next !== undefined;
        pages++
      ) {
        const response = await request(`GET ${next}`);
        assert.deepEqual(response.json.applied, { list: 'ideas', q: 'OKAPI' });
        assert.deepEqual(response.json.toReview, []);
        found.push(...idsOf(response.json.ideas));
        next = /<http:\/\/[^/]+([^>]+)>; rel="next"/.exec(String(response.headers['link'] ?? ''))?.[1];
      }
      assert.deepEqual([found, pages], [ids.toReversed(), 3]);
      const overview = await work('?q=okapi&limit=3');
      assert.deepEqual([idsOf(overview.ideas).length, overview.nextBefore], [3, null]);
      assert.equal((await work('?limit=4')).ideas.length, 4);
      assert.equal((await work()).ideas.length, 5);
    });

    it('the receipt of a WORK or REVIEW says when it is due and who else is at the same thing', async () => {
      const idea = await post('IDEA: receipts');
      const result = await post('RESULT: of it', idea.id);
      assert.deepEqual([result.dueAt, result.alsoUnderWay, result.corrects], [undefined, [], []]);
      const first = await post('WORK: mine', idea.id, 'Ann');
      assert.deepEqual([first.dueAssumed, first.alsoUnderWay], [undefined, []]);
      assert.equal(Date.parse(first.dueAt as string), clock.now() + 24 * HOUR_MS);
      const second = await post('WORK: mine too\nNext update by: 2020-01-01', idea.id);
      assert.equal(Date.parse(second.dueAt as string) - Date.parse(second.createdAt as string), 5 * 60_000);
      assert.deepEqual(second.alsoUnderWay, [
        { id: first.id, name: 'Ann', signer: first.signer, dueAt: first.dueAt, title: 'mine' },
      ]);
      const review = await post(`WORK: x\nStep I am taking: ${result.id}`, idea.id);
      assert.deepEqual(idsOf(review.alsoUnderWay as { id: string }[]), [second.id, first.id]);
      const elsewhere = await post('IDEA: another');
      const astray = await post(`WORK: x\nStep I am taking: check ${result.id} too`, elsewhere.id as string);
      assert.deepEqual(astray.alsoUnderWay, []);
      assert.ok((astray.warnings as string[]).some((one) => one.includes('names a post of another thread')));
      const posted = await post('REVIEW: it holds\nOutcome: confirmed\nEvidence: y', result.id);
      assert.equal(posted.dueAt, undefined);
      assert.deepEqual(idsOf(posted.alsoUnderWay as { id: string }[]), [review.id], 'who reviews the same');
      // A WORK of the same key is the author's own.
      const own = await post('WORK: another step', idea.id, ' ann');
      assert.deepEqual(idsOf(own.alsoUnderWay as { id: string }[]), [review.id, second.id]);
      const crowd = [];
      for (let n = 0; n < 9; n++) crowd.unshift(await post(`WORK: ${n}`, idea.id));
      const crowded = await post('WORK: one more', idea.id);
      const others = idsOf(crowded.alsoUnderWay as { id: string }[]);
      assert.deepEqual(others, idsOf(crowd.slice(0, 3) as { id: string }[]));
      assert.ok(!idsOf(crowded.alsoUnderWay as { id: string }[]).includes(crowded.id as string));
      const overMcp = await callOverMcp(setting, 'post_message', {
        message: 'WORK: over MCP',
        replyTo: idea.id,
      });
      assert.equal(overMcp.alsoUnderWay.length, 3);
      const { state } = (await request(`GET /api/posts/${idea.id}?view=state`)).json;
      assert.deepEqual([state.underWay.length, state.more.underWay, state.counts.underWay], [8, 7, 15]);
    });

    it('the receipt of a signed message says which WORK it ends, and what still looks open', async () => {
      const idea = (await post('IDEA: endings')).id as string;
      const [first, second] = [await post('WORK: one', idea, 'Kim'), await post('WORK: two', idea, 'Kim')];
      assert.deepEqual(second.openUnderYourName, [{ id: first.id, title: 'one', dueAt: first.dueAt }]);
      const result = await post(`RESULT: of ${first.id}`, idea, 'kim ');
      assert.deepEqual(result.ended, []);
      const titles = (result.openUnderYourName as { title: string }[]).map(({ title }) => title);
      assert.deepEqual(titles, ['two', 'one']);
      assert.deepEqual(result.warnings, [
        `Your WORK on this is still open: if it is done, post a message with the line "Ends: ${first.id}"`,
      ]);
      const ending = await post(`Done with the first.\nEnds: ${first.id}`, idea, 'Kim');
      assert.deepEqual([ending.ended, ending.warnings], [[first.id], []]);
      const last = await post('RESULT: two', idea, 'Kim');
      assert.deepEqual([last.ended, last.openUnderYourName], [[second.id], undefined]);
      const stranger = await post(`Ends: ${second.id}`, idea);
      assert.deepEqual(stranger.ended, []);
      const overMcp = await callOverMcp(setting, 'post_message', {
        message: 'fine',
        replyTo: idea,
        name: 'Kim',
      });
      assert.deepEqual(overMcp.ended, []);
    });

    const REFUSED: [query: string, path: string, args: object][] = [
      ['before=2026-01-01T00:00:00Z', 'before', { before: '2026-01-01T00:00:00Z' }],
      ['limit=51', 'limit', { limit: 51 }],
      ['q=1+2+3+4+5+6+7+8+9', 'q', { q: '1 2 3 4 5 6 7 8 9' }],
      ['prefix=IDEA', 'prefix', { prefix: 'IDEA' }],
    ];
    for (const [query, path, args] of REFUSED) {
      it(`refuses ?${query.slice(0, 40)} and names the field`, async () => {
        const response = await request(`GET /api/work?${query}`);
        assertProblem(response, 422, 'invalid_request');
        const paths = response.json.errors.map((error: { path: string }) => error.path);
        assert.deepEqual(paths, [path]);
        const failure = await callOverMcp(setting, 'find_work', args);
        assert.equal(failure.code, 'invalid_request');
        assert.equal(failure.errors?.[0]?.path, path);
      });
    }
  });
}
