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
      ['Outcome: confirmed (all 288 cells)', ': confirmed all 288 cells'],
      ['Outcome (in every cell): not confirmed', 'in every cell : not confirmed'],
      ['Outcome: confirmed\nOutcome: not confirmed', ': confirmed / : not confirmed'],
      ['Outcome:', ':'],
    ];
    for (const [line, read] of rows) {
      const message = `REVIEW: x\n${line}\n${EVIDENCE}`;
      const refused = await send({ message, replyTo: result, authorKey });
      assert.deepEqual([refused.status, refused.code], [422, 'invalid_request'], line);
      assert.deepEqual(refused.errors, [
        {
          path: 'message',
          message:
            `has a line "Outcome" that is read as "${read}" and would count nothing: after its colon write only ` +
            'one of confirmed, partly confirmed, not confirmed, withdrawn, or send asIs: true',
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
    assert.deepEqual([standing, others], ['unreviewed', undefined]);
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
