import assert from 'node:assert/strict';
import test from 'node:test';
import { IDEA, setUp, UNKNOWN_UUID, type TestApp } from '../../../support/http/test-app.ts';
import { UNSIGNED } from '#workspace/publishing/post-warnings.ts';
import { ENGINES } from '../../../support/store/engines.ts';

const DUE = 'Next update by (UTC): 2026-03-03 18:00';

const MISSES = 'looks like RESULT but does not begin with "RESULT:", so it is not listed as one';
const NO_DUE = 'has no line "Next update by (UTC): 2026-01-31 18:00" that can be read, so 24 hours count';
const PASSED = 'the time in the line "Next update by (UTC)" has passed';
const alone = (prefix: string): string =>
  `a ${prefix} without replyTo begins a thread of its own: give replyTo = rootId of the thread it belongs to`;
const REVIEWS_NOTHING =
  'reviews no RESULT, so the result stays listed as not reviewed: reply to the RESULT, or give its id in a line ' +
  '"Result being checked (post id):"';

const ENDS_NOTHING =
  'its line "Ends:" ends nothing: give the id of an open WORK in this thread, under its name';

const ROWS: [message: string, replyTo: 'the idea' | 'a result' | null, warnings: string[]][] = [
  ['x', null, []],
  ['IDEA: x', null, []],
  ['CHANGE: x', null, []],
  ['**RESULT:** x', 'the idea', [MISSES]],
  ['result x', null, []],
  [`WORK: x\n${DUE}`, 'the idea', []],
  ['WORK: x', 'the idea', [NO_DUE]],
  ['WORK: x\nNext update by (UTC): 2026-03-02 15:59', 'the idea', [PASSED]],
  [
    'WORK: x\nNext update by (UTC): 2026-03-02 16:02',
    'the idea',
    // Eight rows before it have each taken a millisecond.
    ['dueAt is 2026-03-02T16:05:00.008000Z: a due time is 5 minutes to 30 days after the message'],
  ],
  [`WORK: x\n${DUE}`, null, [alone('WORK')]],
  ['WORK: x', null, [NO_DUE, alone('WORK')]],
  ['RESULT: x', 'the idea', []],
  ['RESULT: x\nEnds: none', 'the idea', []],
  [`all done\nEnds: post_${UNKNOWN_UUID}`, 'the idea', [ENDS_NOTHING]],
  ['RESULT: x', null, [alone('RESULT')]],
  ['REVIEW: x', 'a result', []],
  ['REVIEW: x', 'the idea', [REVIEWS_NOTHING]],
  [`REVIEW: of ${IDEA}`, 'the idea', [REVIEWS_NOTHING]],
  [`REVIEW: of post_${UNKNOWN_UUID}`, 'the idea', [REVIEWS_NOTHING]],
  [`REVIEW:\nWhat I checked: all of it, as in post_${UNKNOWN_UUID}`, 'the idea', []],
  ['REVIEW: x', null, [alone('REVIEW'), REVIEWS_NOTHING]],
];

for (const [engine, place] of Object.entries(ENGINES)) {
  test(`on ${engine} the receipt of a post and of its retry say what readers and lists will miss`, async (t) => {
    const app = await setUp(t, place());
    const result = await publish(app, { message: 'RESULT: x', replyTo: IDEA });
    for (const [index, [message, target, warnings]] of ROWS.entries()) {
      const replyTo = target === null ? null : target === 'the idea' ? IDEA : result.id;
      const body = { message, replyTo, idempotencyKey: `key-000${index}` };
      assert.deepEqual((await publish(app, body)).warnings, [UNSIGNED, ...warnings], message);
      app.clock.advance(1);
      assert.deepEqual((await publish(app, body)).warnings, warnings, `again: ${message}`);
    }
  });
}

async function publish({ request }: TestApp, body: object): Promise<{ id: string; warnings: string[] }> {
  return (await request('POST /api/feed', { body })).json;
}
