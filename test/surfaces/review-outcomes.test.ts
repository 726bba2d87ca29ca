import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { keyFor } from '../support/context.ts';
import { temporaryFolder } from '../support/folder.ts';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';
import { SURFACES } from '../support/surfaces.ts';

const EVIDENCE = 'Checks performed: every row';

/** A thread of Ann with a RESULT of Bob, and a function that posts in it by the key of a name. */
async function start(t: TestContext, place: object = {}) {
  const app = await setUp(t, { ...place, empty: true, limits: NO_LIMITS });
  const send = async (body: object) => {
    const { status, json } = await app.request('POST /api/feed', { body });
    return { status, ...json };
  };
  const { id: root } = await send({ message: 'IDEA: wells', authorKey: keyFor('Ann') });
  const post = (name: string, message: string, replyTo: string = root) =>
    send({ message, replyTo, name, authorKey: keyFor(name) });
  const result = await post('Bob', 'RESULT: a table');
  return { app, send, post, root, result: result.id as string };
}

for (const [engine, place] of Object.entries(ENGINES))
  test(`on ${engine} a REVIEW sent with a key is refused if its own line Outcome is unclear, unless asIs`, async (t) => {
    const { app, send, result } = await start(t, place());
    const authorKey = keyFor('Cid');
    const rows: [line: string, read: string][] = [
      ['Outcome: confirmed (all 288 cells)', 'Outcome: confirmed (all 288 cells)'],
      ['Outcome: Confirmed!', 'Outcome: Confirmed!'],
      ['Outcome (in every cell): not confirmed', 'Outcome (in every cell): not confirmed'],
      ['Outcome: confirmed\nOutcome: not confirmed', 'Outcome: confirmed / Outcome: not confirmed'],
      ['Outcome (in two rows): both : not the same', 'Outcome (in two rows): both : not the same'],
      ['Outcome:', 'Outcome:'],
    ];
    for (const [line, read] of rows) {
      const message = `REVIEW: x\n${line}\n${EVIDENCE}`;
      const refused = await send({ message, replyTo: result, authorKey });
      assert.deepEqual([refused.status, refused.code], [422, 'invalid_request'], line);
      assert.deepEqual(refused.errors, [
        {
          path: 'message',
          message:
            `has a line "${read}" that would count nothing: after its colon write only one of ` +
            'confirmed, partly confirmed, not confirmed, withdrawn, or send asIs: true',
        },
      ]);
      for (const body of [{ authorKey, asIs: true }, {}])
        assert.equal((await send({ message, replyTo: result, ...body })).status, 201, line);
    }
    for (const clear of ['> Outcome: confirmed, he said', 'OUTCOME: **Confirmed.**', 'no line at all'])
      assert.equal((await send({ message: `REVIEW: x\n${clear}`, replyTo: result, authorKey })).status, 201);
    const other = { message: 'RESULT: x\nOutcome: fine', replyTo: result, authorKey };
    assert.equal((await send(other)).status, 201);
    const { standing, others } = (await app.request(`GET /api/posts/${result}`)).json.post;
    assert.deepEqual([standing, others], ['reviewed', [null]]);
  });

for (const [engine, place] of Object.entries(ENGINES))
  test(`on ${engine} a REVIEW counts in its receipt, its thread, byName and the state by one word`, async (t) => {
    const { app, send, post, root, result } = await start(t, place());
    const get = async (path: string) => (await app.request(`GET ${path}`)).json;
    const say = (outcome: string, evidence = EVIDENCE): string =>
      `REVIEW: x\nOutcome: ${outcome}\n${evidence}`;
    const counts = (as: string, group: string) => ({ for: result, as, in: group });
    const elsewhere = await send({ message: 'IDEA: mills', authorKey: keyFor('Ann') });
    const rows: [who: string, message: string, counts: object | null, why: RegExp | null, at?: string][] = [
      ['Cid', say('confirmed'), counts('confirmed', 'others'), null],
      ['Cid', say('withdrawn'), counts('withdrawn', 'others'), null],
      ['Dan', say('withdrawn'), null, /nothing of your key is there to withdraw$/],
      ['Bob', say('confirmed'), null, /the RESULT is yours, so leave it to others$/],
      ['Eve', say('confirmed', ''), null, /what you did and what came out$/],
      ['Eve', say('confirmed'), null, /^judges no RESULT/, root],
      [
        'Eve',
        `Checked: ${result}\n${say('confirmed')}`.replace(/(.*\n)(REVIEW: x\n)/, '$2$1'),
        null,
        /reply in the thread of the RESULT$/,
        elsewhere.id,
      ],
      ['Ann', say('not confirmed'), counts('not confirmed', 'circle'), null],
      ['Ann', say('partly confirmed'), counts('partly confirmed', 'circle'), null],
    ];
    for (const [who, message, expected, why, at = result] of rows) {
      const receipt = await post(who, message, at);
      assert.deepEqual(receipt.counts, expected, `${who}: ${message}`);
      if (why === null) assert.deepEqual(receipt.warnings, [], message);
      else assert.match(receipt.warnings.at(-1), why);
    }
    const keyless = await send({ message: say('not confirmed'), replyTo: result, name: 'Fay' });
    assert.deepEqual(keyless.counts, counts('not confirmed', 'others'));
    const { replies } = await get(`/api/posts/${root}?whole=true`);
    const reviews = replies.filter(({ checks = [] }: { checks?: string[] }) => checks.includes(result));
    // Of Ann the newer one counts.
    const words = ['others', 'others', undefined, undefined, undefined, undefined, 'circle', 'others'];
    const groupOf = (review: { counts: { in: string } | null }) => review.counts?.in;
    assert.deepEqual(reviews.map(groupOf), words);
    const { reviews: ofBob } = (await get('/api/work?name=Bob')).byName;
    assert.deepEqual(
      ofBob.map(({ name, in: group }: { name: string; in: string | null }) => [name, group]),
      [
        ['Fay', 'others'],
        ['Ann', 'circle'],
        ['Ann', null],
        ['Eve', null],
        ['Dan', null],
      ],
    );
    const { partlyConfirmed: partly } = (await get(`/api/posts/${root}?view=state`)).state.results;
    const inBrief = ({ name, outcome, in: group }: Record<string, string>) => [name, outcome, group];
    assert.deepEqual(partly[0].checks.map(inBrief), [
      ['Ann', 'partly confirmed', 'circle'],
      ['Fay', 'not confirmed', 'others'],
      ['Cid', 'confirmed', 'others'],
    ]);
    assert.equal(partly[0].more, undefined);
    await post('Gus', say('confirmed'), result);
    const [brief] = (await get(`/api/posts/${root}?view=state`)).state.results.partlyConfirmed;
    assert.deepEqual(
      [brief.checks.map(({ name }: { name: string }) => name), brief.more],
      [['Ann', 'Gus', 'Fay'], true],
    );
    const html = (await app.request(`GET /posts/${root}`, { headers: { Accept: 'text/html' } })).text;
    assert.match(html, />confirmed #2: by others</);
  });

test('a repeated call with an unclear outcome succeeds, and sixty refusals an hour are enough', async (t) => {
  const { app, send, result } = await start(t);
  const authorKey = keyFor('Cid');
  const body = { message: 'REVIEW: x\nOutcome: fine', replyTo: result, authorKey };
  const first = await send({ ...body, asIs: true, idempotencyKey: 'some-key-1' });
  for (let n = 0; n < 60; n++) assert.equal((await send(body)).status, 422);
  const { status, limit, detail } = await send(body);
  assert.deepEqual([status, limit], [429, 'refusalsPerNetworkPerHour']);
  assert.match(detail, /asIs: true/);
  const again = await send({ ...body, idempotencyKey: 'some-key-1' });
  assert.deepEqual([again.status, again.id, again.duplicate], [201, first.id, true]);
  assert.equal((await send({ ...body, asIs: true })).status, 201);
  app.clock.advance(3_600_000);
  assert.equal((await send(body)).status, 422);
});

for (const [surface, open] of Object.entries(SURFACES))
  test(`${surface}: an unclear outcome is refused on message, and stored with asIs`, async (t) => {
    const { call, close } = await open({ folder: await temporaryFolder(t), empty: true, limits: NO_LIMITS });
    t.after(close);
    const args = { message: 'REVIEW: x\nOutcome: fine', authorKey: keyFor('Cid') };
    const refused = await call('post_message', args);
    assert.ok('failure' in refused);
    assert.deepEqual(
      [refused.failure.code, refused.failure.errors?.[0]?.path],
      ['invalid_request', 'message'],
    );
    assert.ok('output' in (await call('post_message', { ...args, asIs: true })));
  });
