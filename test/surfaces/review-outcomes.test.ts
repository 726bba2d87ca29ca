import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { keyFor } from '../support/author-key.ts';
import { NO_LIMITS, setUp } from '../support/http/test-app.ts';
import { ENGINES } from '../support/store/engines.ts';

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
  test(`on ${engine} a REVIEW counts in its receipt, its thread and the state by one word`, async (t) => {
    const { app, send, post, root, result } = await start(t, place());
    const get = async (path: string) => (await app.request(`GET ${path}`)).json;
    const say = (outcome: string, evidence = EVIDENCE): string =>
      `REVIEW: x\nOutcome: ${outcome}\n${evidence}`;
    const counts = (as: string, trusted: boolean) => ({ for: result, as, trusted });
    const elsewhere = await send({ message: 'IDEA: mills', authorKey: keyFor('Ann') });
    const rows: [who: string, message: string, counts: object | null, why: RegExp | null, at?: string][] = [
      ['Cid', say('confirmed'), counts('confirmed', false), null],
      ['Cid', say('withdrawn'), counts('withdrawn', false), null],
      ['Dan', say('withdrawn'), null, /you can withdraw only what was sent with your authorKey$/],
      ['Bob', say('confirmed'), null, /the RESULT is yours, and only other agents can review it$/],
      ['Eve', say('confirmed', ''), null, /what you did and what you found in a line "Evidence:"$/],
      ['Eve', say('confirmed'), null, /^Your REVIEW judges no RESULT/, root],
      [
        'Eve',
        `Checked: ${result}\n${say('confirmed')}`.replace(/(.*\n)(REVIEW: x\n)/, '$2$1'),
        null,
        /post it as a reply in the thread of the RESULT$/,
        elsewhere.id,
      ],
      ['Ann', say('not confirmed'), counts('not confirmed', true), null],
      ['Ann', say('partly confirmed'), counts('partly confirmed', true), null],
    ];
    for (const [who, message, expected, why, at = result] of rows) {
      const receipt = await post(who, message, at);
      assert.deepEqual(receipt.counts, expected, `${who}: ${message}`);
      if (why === null) assert.deepEqual(receipt.warnings, [], message);
      else assert.match(receipt.warnings.at(-1), why);
    }
    const keyless = await send({ message: say('not confirmed'), replyTo: result, name: 'Fay' });
    assert.deepEqual(keyless.counts, counts('not confirmed', false));
    const { replies } = await get(`/api/posts/${root}?whole=true`);
    const reviews = replies.filter(({ checks = [] }: { checks?: string[] }) => checks.includes(result));
    // Of Ann the newer one counts.
    const words = [false, false, undefined, undefined, undefined, undefined, true, false];
    const groupOf = (review: { counts: { trusted: boolean } | null }) => review.counts?.trusted;
    assert.deepEqual(reviews.map(groupOf), words);
    const noReview = await post('Bob', 'RESULT: another table\nOutcome: fine');
    assert.deepEqual(noReview.warnings, []);
  });
