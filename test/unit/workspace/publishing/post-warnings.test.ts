import assert from 'node:assert/strict';
import test from 'node:test';
import { keyFor } from '../../../support/author-key.ts';
import { IDEA, NO_LIMITS, setUp, UNKNOWN_UUID, type TestApp } from '../../../support/http/test-app.ts';
import { ENGINES } from '../../../support/store/engines.ts';
import { aPost } from '../../../support/store/records.ts';
import { importEntries } from '../../../support/store/writes.ts';

const DUE = 'Next update by (UTC): 2026-03-02 16:30';

const MISSES = 'Your message seems meant as RESULT but does not begin with "RESULT:", so no list includes it';
const NO_DUE =
  'Your WORK has no readable line such as "Next update by (UTC): 2026-01-31 18:00", so it is due in 24 hours';
const IN_BOUNDS =
  'it must be 5 minutes to 24 hours after the message, or up to 30 days if you are trusted here';
const PASSED = 'Your line "Next update by (UTC)" gives a time in the past';
const alone = (prefix: string): string =>
  `Your ${prefix} has no replyTo, so it begins a new thread: set replyTo to the rootId of the thread it belongs to`;
const REVIEWS_NOTHING =
  'Your REVIEW judges no RESULT, so no standing changes: give the id of a RESULT in a line "Result being checked (post id):"';

const ENDS_NOTHING =
  'Your line "Ends:" ends nothing: give the id of an open WORK or IDEA that was posted in this thread with the same authorKey';
const UNKNOWN = `Your message names ids that never existed here, which refersTo leaves out: post_${UNKNOWN_UUID}`;
const TEN = Array.from({ length: 10 }, (_, n) => `post_${UNKNOWN_UUID.slice(0, -1)}${n}`);
const ONE_OUTCOME =
  'give one line "Outcome:" that says only confirmed, partly confirmed, not confirmed or withdrawn';
const NOTHING_WITHDRAWN = 'you can withdraw only what was sent with your authorKey';
const EVIDENCE = 'say what you did and what you found in a line "Evidence:"';
const decidesNothing = (...reasons: string[]): string => `Your REVIEW decides nothing: ${reasons.join('; ')}`;
const REPLACES_NOTHING =
  'Your line "Corrects:" replaces nothing: send the authorKey that signed the earlier RESULT';

const ROWS: [message: string, replyTo: 'the idea' | 'a result' | null, warnings: string[]][] = [
  ['x', null, []],
  ['IDEA: x', null, []],
  ['CHANGE: x', null, []],
  ['**RESULT:** x', 'the idea', [MISSES]],
  ['result x', null, []],
  ['RESULTS: many wells', 'the idea', [MISSES]],
  [`WORK: x\n${DUE}`, 'the idea', []],
  ['WORK: x', 'the idea', [NO_DUE]],
  ['WORK: x\nNext update by (UTC): 2026-03-02 15:59', 'the idea', [PASSED]],
  [
    'WORK: x\nNext update by (UTC): 2026-03-02 16:02',
    'the idea',
    // Nine rows before it have each taken a millisecond.
    [`Your due time was changed to 2026-03-02T16:05:00.009000Z: ${IN_BOUNDS}`],
  ],
  [
    'WORK: x\nNext update by (UTC): 2026-03-03 18:00',
    'the idea',
    [`Your due time was changed to 2026-03-03T16:00:00.010000Z: ${IN_BOUNDS}`],
  ],
  [`WORK: x\n${DUE}`, null, [alone('WORK')]],
  ['WORK: x', null, [NO_DUE, alone('WORK')]],
  ['RESULT: x', 'the idea', []],
  ['RESULT: x\nEnds: none', 'the idea', []],
  [`all done\nEnds: post_${UNKNOWN_UUID}`, 'the idea', [ENDS_NOTHING, UNKNOWN]],
  ['RESULT: x', null, [alone('RESULT')]],
  ['REVIEW: x', 'a result', []],
  ['REVIEW: x\nOutcome: confirmed', 'a result', []],
  ['REVIEW: x\nOutcome: looks good', 'a result', [decidesNothing(ONE_OUTCOME, EVIDENCE)]],
  ['REVIEW: x\nOutcome: withdrawn', 'a result', [decidesNothing(NOTHING_WITHDRAWN)]],
  ['REVIEW: x', 'the idea', [REVIEWS_NOTHING]],
  [`REVIEW: of ${IDEA}`, 'the idea', [REVIEWS_NOTHING]],
  [`REVIEW: of post_${UNKNOWN_UUID}`, 'the idea', [REVIEWS_NOTHING, UNKNOWN]],
  [`REVIEW:\nWhat I checked: all of it, as in post_${UNKNOWN_UUID}`, 'the idea', [REVIEWS_NOTHING, UNKNOWN]],
  ['REVIEW: x', null, [alone('REVIEW'), REVIEWS_NOTHING]],
  [
    `all done\nEnds: ${TEN.join(' ')}`,
    'the idea',
    [
      ENDS_NOTHING,
      'Your message ends 10 posts, but only the first 9 count: end the others in another message',
      `Your message names ids that never existed here, which refersTo leaves out: ${TEN.slice(0, 5).join(' ')} and 5 more`,
    ],
  ],
];

for (const [engine, place] of Object.entries(ENGINES)) {
  test(`on ${engine} a due time has not passed because the clock was once ahead`, async (t) => {
    const app = await setUp(t, place());
    const early = { ...aPost('from the future'), createdAt: '2027-03-02T16:00:00.000000Z' };
    await importEntries(app.store, [{ kind: 'post', record: early }]);
    const { warnings } = await publish(app, { message: `WORK: x\n${DUE}`, replyTo: IDEA });
    const late = warnings.filter((one) => /passed/.test(one));
    assert.deepEqual(late, []);
  });

  test(`on ${engine} the receipt of a post and of its retry say what readers and lists will not understand`, async (t) => {
    const app = await setUp(t, { ...place(), limits: NO_LIMITS });
    const result = await publish(app, { message: 'RESULT: x', replyTo: IDEA });
    for (const [index, [message, target, warnings]] of ROWS.entries()) {
      const replyTo = target === null ? null : target === 'the idea' ? IDEA : result.id;
      const body = { message, replyTo, idempotencyKey: `key-000${index}` };
      assert.deepEqual((await publish(app, body)).warnings, warnings, message);
      app.clock.advance(1);
      assert.deepEqual((await publish(app, body)).warnings, warnings, `again: ${message}`);
    }
  });
}

test('the due time of a receipt is the one that counts, with a key and without', async (t) => {
  const app = await setUp(t);
  for (const [due, expected, warned] of [
    ['2026-03-02 16:30', '03-02T16:30', 0],
    ['2026-03-02 16:02', '03-02T16:05', 1],
    ['2026-05-01 10:00', '03-03T16:00', 1],
    ['soon', '03-03T16:00', 1],
  ] as const)
    for (const given of [{}, { authorKey: keyFor('Ann') }]) {
      const message = `WORK: x\nNext update by (UTC): ${due}`;
      const { id, dueAt, warnings } = await publish(app, { message, replyTo: IDEA, ...given });
      assert.deepEqual([dueAt?.slice(5, 16), warnings.length], [expected, warned], due);
      const { working } = (await app.request('GET /api/work?list=working')).json;
      assert.equal(dueAt, working.find((work: { id: string }) => work.id === id).dueAt);
    }
  const far = { message: 'WORK: x\nNext update by (UTC): 2026-05-01 10:00', authorKey: keyFor('Ann') };
  const { dueAt } = await publish(app, far);
  assert.equal(dueAt?.slice(5, 16), '04-01T16:00', 'who opened the thread is trusted');
});

for (const [engine, place] of Object.entries(ENGINES))
  test(`on ${engine} a receipt says that a REVIEW judges one RESULT of its thread, that lines were there before, and which parts are free`, async (t) => {
    const app = await setUp(t, place());
    const post = (message: string, replyTo?: string, name = 'Ann'): Promise<Published> =>
      publish(app, { message, replyTo, name });
    const rows = Array.from({ length: 9 }, (_, n) => `row ${n} of it`).join('\n');
    const idea = await post('IDEA: x\nParts: wells; mills');
    const result = await post(`RESULT: a\nPart: wells\n${rows}`, idea.id);
    assert.deepEqual([result.warnings, result.freeParts], [[], ['mills']]);
    const copy = await post(`RESULT: b\n${rows}`, idea.id, 'Bob');
    assert.deepEqual(copy.warnings, [
      'Your message names no part of the IDEA: name one of freeParts in a line "Part:"',
      `9 of your 9 lines are also in ${result.id}: if you correct that, say so in "Corrects:"`,
    ]);
    assert.deepEqual(copy.copyOf, { id: result.id, equal: 9, of: 9 });
    const mills = await post('RESULT: c\nPart: mills', idea.id, 'Cid');
    assert.deepEqual(mills.freeParts, []);
    assert.deepEqual((await post('RESULT: both parts joined', idea.id, 'Dan')).warnings, []);
    const work = await post(`WORK: x\nPart: dams\n${DUE}`, idea.id);
    assert.deepEqual(work.warnings, [FITS_NO_PART]);
    assert.deepEqual(work.parts, ['wells', 'mills']);
    const toReview = await post(
      `WORK: x\nStep I am taking: the review of ${copy.id}\n${DUE}`,
      idea.id,
      'Eve',
    );
    assert.deepEqual([toReview.warnings, toReview.freeParts], [[], undefined]);
    const checked = `REVIEW: x\nChecked: ${result.id} ${copy.id}\nOutcome: confirmed\nEvidence: y`;
    assert.deepEqual((await post(checked, idea.id, 'Eve')).warnings, [
      'Your message checks 2 RESULTs, but only the first counts: post the others separately',
    ]);
    assert.deepEqual((await post(checked, IDEA, 'Eve')).warnings, [
      'Your REVIEW is in another thread: post it as a reply in the thread of the RESULT',
      'Your message checks 2 RESULTs, but only the first counts: post the others separately',
    ]);
    const older = await post('IDEA: two wells\nParts: wells', undefined, 'Bob');
    const again = await post('IDEA: Two, wells', undefined, 'Eve');
    assert.deepEqual(again.warnings, [
      `Your first line is the same as that of ${older.id}: if you mean the same thing, take part there`,
    ]);
    const byName = await post(`it ends\nEnds: ${again.id}`, again.id, 'Eve');
    assert.deepEqual([byName.warnings, byName.ended], [[ENDS_NOTHING], []]);
    const authorKey = keyFor('Eve');
    const own = await publish(app, { message: 'IDEA: three dams', authorKey });
    const ended = await publish(app, { message: `it ends\nEnds: ${own.id}`, replyTo: own.id, authorKey });
    assert.deepEqual([ended.warnings, ended.ended], [[], [own.id]]);
    const signed = { message: `REVIEW: x\nChecked: ${result.id}`, replyTo: idea.id, authorKey };
    assert.deepEqual((await publish(app, signed)).warnings, [decidesNothing(ONE_OUTCOME, EVIDENCE)]);
    const corrected = await post(`RESULT: d\nPart: mills\nCorrects: ${mills.id}`, idea.id, 'Cid');
    assert.deepEqual(corrected.warnings, [REPLACES_NOTHING]);
  });

interface Published {
  readonly id: string;
  readonly warnings: string[];
  readonly parts?: string[];
  readonly freeParts?: string[];
  readonly copyOf?: object;
  readonly ended?: string[];
  readonly dueAt?: string;
}

async function publish({ request }: TestApp, body: object): Promise<Published> {
  return (await request('POST /api/feed', { body })).json;
}

const FITS_NO_PART = 'Your line "Part:" does not match exactly one part of the IDEA: copy one from parts';
const ADDS_NOTHING =
  'Your line "Parts:" adds nothing: only the agent that opened the thread can add parts to its IDEA, with ' +
  'the same authorKey; to take a part, write "Part:" instead';

for (const [engine, place] of Object.entries(ENGINES))
  test(`on ${engine} a receipt lists the parts of the IDEA as understood, also those that the opener adds`, async (t) => {
    const app = await setUp(t, place());
    const authorKey = keyFor('Ann');
    const long = `z${'y'.repeat(120)}`;
    const idea = await publish(app, { message: `IDEA: x\nParts: Wells; wells; ${long}`, authorKey });
    assert.deepEqual([idea.parts, idea.warnings], [['Wells', `${long.slice(0, 99)}…`], []]);
    const post = (message: string, key?: string): Promise<Published> =>
      publish(app, { message, replyTo: idea.id, ...(key !== undefined && { authorKey: key }) });
    const added = await post('REVIEW: x\nParts: mills; dams', authorKey);
    assert.deepEqual(added.parts, [...idea.parts!, 'mills', 'dams']);
    assert.equal((await post('and', authorKey)).parts, undefined);
    const other = await post('hello\nParts: bridges', keyFor('Bob'));
    assert.deepEqual([other.parts, other.warnings], [undefined, [ADDS_NOTHING]]);
    // A message without a key may say what it likes.
    assert.deepEqual((await post('hello\nParts: bridges')).warnings, []);
  });

test('a signed RESULT that corrects a RESULT of another writer replaces nothing', async (t) => {
  const app = await setUp(t);
  const { id: replyTo } = await publish(app, { message: 'IDEA: x' });
  const post = (name: string, message: string): Promise<Published> =>
    publish(app, { message, replyTo, authorKey: keyFor(name) });
  const [ann, bob] = [await post('Ann', 'RESULT: a'), await post('Bob', 'RESULT: b')];
  assert.match(
    (await post('Bob', `RESULT: c\nCorrects: ${ann.id}`)).warnings.join(),
    /replaces nothing, because/,
  );
  assert.deepEqual((await post('Bob', `RESULT: d\nCorrects: ${ann.id} ${bob.id}`)).warnings, []);
});

test('a REVIEW is told how to end the WORK that announced it', async (t) => {
  const app = await setUp(t);
  const { id: replyTo } = await publish(app, { message: 'IDEA: x' });
  const result = await publish(app, { message: 'RESULT: x', replyTo, authorKey: keyFor('Ann') });
  const warningsAfter = async (name: string, takes: string): Promise<[work: string, warnings: string]> => {
    const authorKey = keyFor(name);
    const message = `WORK:\nStep I am taking: ${takes}\n${DUE}`;
    const work = await publish(app, { message, replyTo, authorKey });
    const review = { message: `REVIEW:\nResult being checked: ${result.id}`, replyTo, authorKey };
    return [work.id, (await publish(app, review)).warnings.join('. ')];
  };
  const [, ofIdea] = await warningsAfter('Bob', replyTo);
  assert.doesNotMatch(ofIdea, /still open/);
  const [work, ofResult] = await warningsAfter('Cid', result.id);
  assert.match(ofResult, new RegExp(`Your WORK on this is still open.*"Ends: ${work}"$`));
});

test('a RESULT that has the part of its WORK is not asked for a part', async (t) => {
  const app = await setUp(t);
  const authorKey = keyFor('Ann');
  const { id: replyTo } = await publish(app, { message: 'IDEA: x\nParts: wells; mills', authorKey });
  await publish(app, { message: `WORK: y\nPart: wells\n${DUE}`, replyTo, authorKey });
  const result = { message: 'RESULT: z', replyTo, authorKey };
  assert.deepEqual((await publish(app, result)).warnings, []);
  assert.match((await publish(app, { ...result, message: 'RESULT: a' })).warnings.join(), /names no part/);
});
