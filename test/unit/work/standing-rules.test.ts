import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Standing } from '#work/model.ts';
import { freeParts, partsFor } from '#work/parts.ts';
import { isOpen } from '#work/open.ts';
import { sinceOf } from '#work/thread-summary.ts';
import { shownStandingOf } from '#work/standing-view.ts';
import { isEnded } from '#work/model.ts';
import { judge } from '#work/verdicts.ts';
import { effectOf } from '#work/reviews.ts';
import { statusOf } from '#work/works.ts';
import { boardOf, listWork } from '../../support/derived-work.ts';
import { signerOf } from '../../support/strangers.ts';
import {
  type Message,
  idOf,
  MINUTE_MS,
  reviewOf,
  stepsOfThread,
  THREAD_START,
  timeOf,
} from '../../support/threads.ts';

const LATER = THREAD_START + 60 * MINUTE_MS;

function threadOf(messages: readonly Message[], held: readonly number[] = []) {
  const board = boardOf(stepsOfThread(messages, held));
  const result = (n: number) => board.results.get(idOf(n))!;
  return { board, idea: board.ideas.get(idOf(0))!, result };
}

/** What readers see of a RESULT, with the numbers of messages in place of their ids. */
interface Seen {
  readonly standing: Standing;
  readonly checked: readonly number[] | undefined;
  /** With the number of the earlier edition that it judges, and what is said of it beside. */
  readonly others: readonly (readonly [number, of?: number | undefined, ...said: string[]])[] | undefined;
  readonly withdrawn: number;
  readonly more: true;
}

function see({ board }: ReturnType<typeof threadOf>, n: number) {
  const { standing, checked, others, withdrawn, more } = shownStandingOf(board, idOf(n));
  const numberOf = (id: string | undefined) => id && Number(id.slice(-12));
  return {
    ...{ standing, withdrawn: numberOf(withdrawn), more, checked: checked?.map(({ id }) => numberOf(id)) },
    others: others?.map(({ id, of, trusted, sinceEnd }) => [
      ...[numberOf(id), numberOf(of)],
      ...[...(trusted ? ['trusted'] : []), ...(sinceEnd ? ['since the end'] : [])],
    ]),
  };
}

/** Who writes in a story, by the number of the key. Ann opens the thread. */
const KEYS: Readonly<Record<string, number>> = { Ann: 1, Bob: 2, Cid: 3, Dan: 4, Eve: 5, Fay: 6 };

/** What a message says, by its verb in a story. */
const TEXTS: Readonly<Record<string, (of: string) => string>> = {
  opens: () => 'IDEA: x',
  finds: () => 'RESULT: y',
  corrects: (n) => `RESULT: y\nCorrects: ${idOf(Number(n))}`,
  confirms: (n) => reviewOf(Number(n), 'confirmed'),
  halves: (n) => reviewOf(Number(n), 'partly confirmed'),
  refutes: (n) => reviewOf(Number(n), 'not confirmed'),
  withdraws: (n) => reviewOf(Number(n), 'withdrawn'),
  ends: (n) => `Ends: ${idOf(Number(n))}`,
  trusts: (name) => `Trust: ${signerOf(KEYS[name]!)}`,
  distrusts: (name) => `Distrust: ${signerOf(KEYS[name]!)}`,
  thanks: () => 'thank you',
};

/** @param story messages of one thread such as "Ann opens, Bob finds, Ann confirms 1", counted from 0 */
const tell = (story: string) =>
  threadOf(
    story.split(', ').map((message): Message => {
      const [name = '', verb = '', of = ''] = message.split(' ');
      return [KEYS[name]!, TEXTS[verb]!(of)];
    }),
  );

const FIVE = [1, 2, 3, 4, 5];
const WITHDRAWN = FIVE.map((n) => `Ann confirms ${n}, Bob ${n % 2 === 0 ? 'withdraws' : 'refutes'} ${n}`);
const EDITIONS = [1, 3, 4, 5, 6].map((n) => `Bob corrects ${n}`).join(', ');
const LET_IN =
  'Ann opens, Bob finds, Cid finds, Dan finds, Ann confirms 1, Ann confirms 2, Ann confirms 3, Cid confirms 1';

type Expected = Readonly<Record<number, Standing | Partial<Seen>>>;

const STORIES: readonly (readonly [rule: string, story: string, expected: Expected])[] = [
  [
    'a RESULT whose third edition is confirmed stays replaced',
    'Ann opens, Bob finds, Ann confirms 1, Bob corrects 1, Ann confirms 3, Bob corrects 3, Ann confirms 5',
    { 1: 'replaced', 3: 'replaced', 5: 'confirmed' },
  ],
  [
    'so it does if nobody reviews the second',
    'Ann opens, Bob finds, Ann confirms 1, Bob corrects 1, Ann thanks, Bob corrects 3, Ann confirms 5',
    { 1: 'replaced', 3: 'replaced', 5: 'confirmed' },
  ],
  [
    'a confirmed RESULT stands while no later edition of it is confirmed',
    'Ann opens, Bob finds, Ann confirms 1, Bob corrects 1, Bob corrects 3',
    { 1: 'confirmed', 3: 'replaced', 4: 'unreviewed' },
  ],
  [
    'a writer who withdraws five confirmed RESULTs takes none of them down',
    ['Ann opens', ...FIVE.map(() => 'Bob finds'), ...WITHDRAWN].join(', '),
    { 1: 'confirmed', 2: 'confirmed', 3: { standing: 'confirmed', withdrawn: 11 }, 4: 'confirmed' },
  ],
  [
    'two whom the opener let in change nothing by what they say after it has ended the IDEA',
    `${LET_IN}, Ann ends 0, Cid refutes 1, Dan refutes 1`,
    {
      1: {
        standing: 'confirmed',
        checked: [4, 7],
        others: [[10, undefined, 'trusted', 'since the end']],
      },
    },
  ],
  ['before the end they decide it', `${LET_IN}, Cid refutes 1, Dan refutes 1`, { 1: 'contested' }],
  [
    'the first word of the opener may be too kind',
    'Ann opens, Bob finds, Ann confirms 1, Dan finds, Bob confirms 3',
    { 1: 'confirmed', 3: 'confirmed' },
  ],
  [
    'its next one counts, and lets nobody in',
    'Ann opens, Bob finds, Ann confirms 1, Dan finds, Bob confirms 3, Ann refutes 1',
    { 1: 'refuted', 3: 'reviewed' },
  ],
  [
    'six editions shed nothing: what is said against an earlier one stands until its signer judges a later one',
    `Ann opens, Bob finds, Ann refutes 1, ${EDITIONS}, Dan confirms 7`,
    {
      1: 'replaced',
      6: 'replaced',
      7: {
        standing: 'reviewed',
        others: [
          [2, 1, 'trusted'],
          [8, undefined],
        ],
      },
    },
  ],
  [
    'no word of a stranger stands in the place of what a trusted signer says',
    'Ann opens, Ann trusts Cid, Bob finds, Ann confirms 2, Cid refutes 2, Dan refutes 2',
    { 2: { others: [[4, undefined, 'trusted']] } },
  ],
  [
    'nor in the place of what it says of an earlier edition',
    'Ann opens, Ann trusts Cid, Dan finds, Cid refutes 2, Dan corrects 2, Fay refutes 4, Eve refutes 4',
    { 4: { others: [[3, 2, 'trusted']] } },
  ],
  [
    'what a key that is not trusted has withdrawn or changed is not what others say',
    'Ann opens, Bob finds, Dan refutes 1, Dan withdraws 1, Cid refutes 1, Cid confirms 1',
    { 1: { others: [[5, undefined]] } },
  ],
  [
    'where the opener names nobody and never comes back, nothing is decided, and REVIEWs stand beside',
    'Ann opens, Bob finds, Cid confirms 1, Dan refutes 1',
    {
      1: {
        standing: 'reviewed',
        checked: undefined,
        others: [
          [3, undefined],
          [2, undefined],
        ],
      },
    },
  ],
  [
    'a REVIEW that neither list shows is told as more, whatever a trusted signer says since the end',
    'Ann opens, Bob finds, Cid finds, Ann confirms 2, Cid confirms 1, Dan refutes 1, Ann ends 0, Cid refutes 1',
    { 1: { checked: [4], others: [[7, undefined, 'trusted', 'since the end']], more: true } },
  ],
];

for (const [rule, story, all] of STORIES)
  test(rule, () => {
    const thread = tell(story);
    for (const [n, expected] of Object.entries(all)) {
      const wanted: Partial<Seen> = typeof expected === 'string' ? { standing: expected } : expected;
      const seen = see(thread, Number(n));
      const asked = Object.keys(wanted).map((key) => [key, seen[key as keyof Seen]]);
      assert.deepEqual(Object.fromEntries(asked), wanted, n);
    }
  });

test('a withdrawal with nothing before it counts nothing, whatever its key says later', () => {
  const one = tell('Ann opens, Bob finds, Ann withdraws 1, Ann confirms 1, Ann withdraws 1').result(1);
  const effects = one.reviews.map((review) => effectOf(one, review)?.as);
  assert.deepEqual(effects, [undefined, undefined, 'withdrawn']);
});

test('what trusted signers say since the end of the IDEA counts as that', () => {
  const one = tell(`${LET_IN}, Ann ends 0, Cid refutes 1, Dan refutes 1`).result(1);
  const effects = one.reviews.map((review) => effectOf(one, review)?.sinceEnd);
  assert.deepEqual(effects, [undefined, undefined, true, true]);
});

test('a signer who is trusted again votes from then on, not since its earlier review', () => {
  const story = 'Ann opens, Bob finds, Cid finds, Ann confirms 2, Cid confirms 1, Ann distrusts Cid';
  const one = tell(`${story}, Ann trusts Cid`).result(1);
  assert.deepEqual([judge(one).standing, sinceOf(one)], ['confirmed', timeOf(6)]);
});

test('a RESULT that is confirmed in part and withdrawn stands in its thread, and in no list over threads', () => {
  const listed = (story: string) => listWork(tell(story).board, LATER).partlyConfirmed.map(({ id }) => id);
  const story = 'Ann opens, Bob finds, Ann halves 1';
  assert.deepEqual(listed(story), [idOf(1)]);
  assert.deepEqual(listed(`${story}, Bob withdraws 1`), []);
  assert.equal(see(tell(`${story}, Bob withdraws 1`), 1).standing, 'partlyConfirmed');
});

const [OPENER, WRITER, OTHER] = [1, 2, 3];

test('reports of what closed parts, ended a WORK or an IDEA, or was refuted, change nothing of that', () => {
  const messages = [
    [OPENER, 'IDEA: x\nParts: hills; mills'],
    [WRITER, 'WORK: x\nPart: hills'],
    [WRITER, 'RESULT: y'],
    [OPENER, reviewOf(2, 'confirmed')],
    [OTHER, 'RESULT: z\nPart: mills'],
    [OPENER, reviewOf(4, 'not confirmed')],
    [OTHER, 'RESULT: again'],
    [OPENER, `it ends\nEnds: ${idOf(0)}`],
  ] as const;
  for (const held of [[], [2], [1], [1, 2, 3, 4, 5, 7]]) {
    const { board, idea } = threadOf(messages.slice(0, 7), held);
    assert.deepEqual(freeParts(idea, LATER), ['mills'], String(held));
    assert.equal(statusOf(board.works.get(idOf(1))!).endedBy?.id, idOf(2));
    assert.equal(isEnded(threadOf(messages, held).idea), true);
    const listed = Object.values(listWork(board, LATER)).flatMap((steps) => steps.map(({ id }) => id));
    assert.ok(!held.some((n) => listed.includes(idOf(n))));
  }
  const done = [
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, reviewOf(1, 'confirmed')],
  ] as const;
  for (const held of [[], [1]]) assert.equal(isOpen(threadOf(done, held).idea), false);
});

const PARTS = Array.from({ length: 9 }, (_, n) => `p${n}`);

test('a RESULT that ends many WORKs has two of their parts', () => {
  const works = PARTS.map((part): Message => [OTHER, `WORK: x\nPart: ${part}`]);
  const { idea, result } = threadOf([
    [OPENER, `IDEA: x\nParts: ${PARTS.join('; ')}`],
    ...works,
    [OTHER, `RESULT: y\nEnds: ${works.map((_, n) => idOf(n + 1)).join(' ')}`],
    [OPENER, reviewOf(10, 'confirmed')],
  ]);
  const parts = partsFor(result(10)).map(({ index }) => index);
  assert.deepEqual(parts, [8, 7]);
  assert.deepEqual(freeParts(idea, LATER), PARTS.slice(0, 7));
});

test('a correction is for the parts of what it corrects, also if it ends a WORK or corrects what has none', () => {
  const { idea, result } = threadOf([
    [OPENER, 'IDEA: x\nParts: one; two'],
    [WRITER, 'RESULT: z'],
    [WRITER, 'RESULT: y\nPart: one'],
    [WRITER, `RESULT: y\nCorrects: ${idOf(2)}`],
    [WRITER, 'WORK: mend it'],
    [WRITER, `RESULT: y\nCorrects: ${idOf(1)} ${idOf(3)}\nEnds: ${idOf(4)}`],
    [OPENER, reviewOf(5, 'confirmed')],
    [OTHER, `RESULT: y\nCorrects: ${idOf(2)}`],
  ]);
  const counts = [2, 3, 5, 7].map((n) => partsFor(result(n)).length);
  assert.deepEqual(counts, [1, 1, 1, 0]);
  assert.deepEqual(freeParts(idea, LATER), ['two']);
});

test('a REVIEW judges what its line "Result being checked" names, whatever stands on other lines', () => {
  const thread = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [OPENER, `REVIEW: x\nWhat I checked: all, against ${idOf(1)}\n${reviewOf(2, 'not confirmed').slice(10)}`],
    [OPENER, `${reviewOf(1, 'confirmed').replace(idOf(1), 'the first')}\nChecked: ${idOf(1)}`],
  ]);
  const standings = [1, 2].map((n) => see(thread, n).standing);
  assert.deepEqual(standings, ['confirmed', 'refuted']);
});
