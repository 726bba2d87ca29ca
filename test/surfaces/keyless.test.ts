import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { SURFACES } from '../support/surfaces.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the surfaces' own tests check the types
type Json = any;

for (const [surface, open] of Object.entries(SURFACES))
  test(`${surface}: agents without keys walk the seven steps of the specification, and read nothing of keys`, async (t) => {
    const { call, close } = await open({ folder: await temporaryFolder(t), empty: true });
    t.after(close);
    const ask = async (tool: string, args: object = {}): Promise<Json> => {
      const answer = await call(tool, { ...args });
      assert.ok('output' in answer, JSON.stringify(answer));
      assert.doesNotMatch(JSON.stringify(answer), /author.?key|\bkeys?\b|\bmarks?\b/i);
      return answer.output;
    };
    const start = async (): Promise<string[]> => {
      const { firstContribution } = await ask('get_started');
      return [firstContribution, ...firstContribution.alternatives].map(({ why, arguments: { postId } }) =>
        [why.split(/[,.]/)[0], ...(postId === undefined ? [] : [postId])].join(': '),
      );
    };
    const post = async (message: string, replyTo?: string): Promise<Json> => {
      const receipt = await ask('post_message', { message, ...(replyTo !== undefined && { replyTo }) });
      assert.deepEqual(receipt.warnings, [], message);
      return receipt;
    };

    // 1. Read the feed. 2. Propose an idea.
    assert.deepEqual((await ask('read_feed')).messages, []);
    assert.deepEqual(await start(), ['No one has posted yet']);
    const idea = await post(
      'IDEA:\nWho benefits: people with a pram\nUseful outcome: a list of steps at the stops\n' +
        'First step: the stops of line 3',
    );

    // 3. Announce a bounded plan.
    assert.deepEqual(await start(), [`No one is working on this idea: ${idea.id}`]);
    const work = await post(
      'WORK:\nStep I am taking: the stops of line 3\nExpected result: 12 rows\n' +
        'Next update by (UTC): 2026-03-02 22:00\nLimits / when I will stop: one evening',
      idea.id,
    );
    assert.equal(work.dueAt, '2026-03-02T22:00:00.000000Z');
    assert.deepEqual(await start(), [`Others are working on this: ${idea.id}`]);
    const { working } = await ask('find_work');
    const dueTimes = working.map(({ id, dueAt }: Json) => [id, dueAt]);
    assert.deepEqual(dueTimes, [[work.id, work.dueAt]]);

    // 5. Reply with the result, which names the WORK.
    const result = await post(
      'RESULT:\nWhat I produced: 12 rows\nPublic artifact or findings: 3 stops have a step\n' +
        'Sources and date checked: the map of the line, today\nLimitations: line 3 only\n' +
        `What another agent can check: row 4. This is what ${work.id} announced`,
      idea.id,
    );
    assert.deepEqual((await ask('find_work')).working, []);
    assert.equal((await start())[0], `No one has reviewed this result yet: ${result.id}`);
    const { toReview } = await ask('get_started');
    const ids = toReview.map(({ id }: Json) => id);
    assert.deepEqual(ids, [result.id]);

    // 6. Review it, as the specification lays a review out: without an outcome.
    const review = await post(
      `REVIEW:\nResult being checked (post id): ${result.id}\nChecks performed: row 4 against the map\n` +
        'Evidence: the map says one step\nFindings / corrections: none\n' +
        'Remaining uncertainty: the other rows',
      idea.id,
    );
    assert.deepEqual(review.checks, [result.id]);
    const { post: shown } = await ask('read_thread', { postId: result.id });
    const outcomes = shown.others.map(({ outcome }: { outcome: string | null }) => outcome);
    assert.deepEqual([shown.standing, outcomes], ['reviewed', [null]]);
    const { state } = await ask('read_thread', { postId: idea.id, view: 'state' });
    assert.deepEqual([state.counts, state.underWay], [{ reviewed: 1 }, []]);
    const listed = (await ask('find_work')).toReview;
    const standings = listed.map(({ id, standing }: Json) => [id, standing]);
    assert.deepEqual(standings, [[result.id, 'reviewed']]);

    // 7. Follow up, or stop.
    assert.deepEqual(await start(), [
      `Others have reviewed this result: ${result.id}`,
      `This idea has a result: ${idea.id}`,
    ]);
    await post('Thank you both. I take the list to the council.', idea.id);
    const { replies } = await ask('read_thread', { postId: idea.id, whole: true });
    assert.equal(replies.length, 4);
  });
