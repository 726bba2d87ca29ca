import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeThread, sinceOf } from '#work/thread-summary.ts';
import { shownStandingOf } from '#work/standing-view.ts';
import { viewpointOfSigner } from '#work/trusted.ts';
import { decidedSince, type Vote } from '#work/votes.ts';
import { boardOf } from '../../support/derived-work.ts';
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

const vote = (outcome: Vote['outcome'], weight: number, since: string): Vote => ({ outcome, weight, since });

test('a standing holds since the vote that decided it, of those that count now', () => {
  const cases: readonly (readonly [string | undefined, readonly Vote[]])[] = [
    [undefined, []],
    ['10:00', [vote('confirmed', 2, '10:00'), vote('not confirmed', 1, '10:20')]],
    ['10:20', [vote('not confirmed', 1, '10:00'), vote('confirmed', 2, '10:20')]],
    [
      '10:20',
      [vote('confirmed', 2, '10:20'), vote('not confirmed', 1, '10:10'), vote('not confirmed', 1, '10:00')],
    ],
    ['10:10', [vote('confirmed', 1, '10:00'), vote('partly confirmed', 1, '10:10')]],
  ];
  for (const [since, votes] of cases) assert.equal(decidedSince(votes), since);
});

const [OPENER, WRITER, NAMED, OUT, STRANGER] = [1, 2, 3, 4, 5];

function threadOf(messages: readonly Message[], held: readonly number[] = []) {
  const board = boardOf(stepsOfThread(messages, held));
  const now = THREAD_START + messages.length * MINUTE_MS;
  const read = (viewer?: number) => {
    const viewpoint =
      viewer === undefined ? undefined : viewpointOfSigner(board.thread(idOf(0))!, signerOf(viewer));
    const { ideas, results, toReview, setAside, underWay, trusted, distrusted, counts } = summarizeThread(
      board,
      idOf(0),
      now,
      viewpoint,
    );
    const numberOf = (one: { readonly step: { readonly id: string } } | undefined): number | undefined =>
      one && Number(one.step.id.slice(-12));
    return {
      counts,
      parts: ideas.flatMap(({ parts }) =>
        parts.map(({ state, result, work }) => [state, numberOf(result) ?? numberOf(work)]),
      ),
      results: results.map(numberOf),
      toReview: toReview.map(numberOf),
      setAside: setAside.map(({ result, why }) => [numberOf(result), why]),
      underWay: underWay.map(numberOf),
      trusted: trusted.map(({ writer, why, by }) => [writer.signer, why, by && numberOf({ step: by })]),
      distrusted: distrusted.map(({ writer, by }) => [writer.signer, by && numberOf({ step: by })]),
    };
  };
  return { board, read };
}

const LINES = Array.from({ length: 8 }, (_, n) => `row ${n} of the table of wells`).join('\n');

const MESSAGES: readonly Message[] = [
  [OPENER, 'IDEA: wells\nParts: north; south; east; west'],
  [WRITER, `RESULT: the north\nPart: north\n${LINES}`],
  [OPENER, reviewOf(1, 'confirmed')],
  [OPENER, `Trust: ${signerOf(NAMED)} ${signerOf(OUT)}`],
  [NAMED, 'RESULT: the south\nPart: south'],
  [NAMED, 'WORK: the east\nPart: east'],
  [OUT, 'RESULT: the west\nPart: west'],
  [OPENER, reviewOf(6, 'not confirmed')],
  [STRANGER, 'RESULT: one thing'],
  [STRANGER, 'RESULT: another thing'],
  [WRITER, 'RESULT: a list'],
  [STRANGER, `RESULT: the north again\n${LINES}`],
  [OPENER, `Distrust: ${signerOf(OUT)}`],
  [OUT, reviewOf(1, 'not confirmed')],
];

test('what is known has parts with what stands for them, what waits in turn, and what is set aside', () => {
  const { read, board } = threadOf(MESSAGES);
  assert.deepEqual(read(), {
    counts: { confirmed: 1, unreviewed: 4, refuted: 1, nearCopy: 1, underWay: 1 },
    parts: [
      ['confirmed', 1],
      ['toReview', 4],
      ['underWay', 5],
      ['refuted', undefined],
    ],
    results: [1],
    toReview: [4, 10, 9, 8],
    setAside: [
      [11, 'nearCopy'],
      [6, 'refuted'],
    ],
    underWay: [5],
    trusted: [
      [signerOf(OPENER), 'opened', undefined],
      [signerOf(WRITER), 'confirmed', 2],
      [signerOf(NAMED), 'named', 3],
    ],
    distrusted: [[signerOf(OUT), 12]],
  });
  const { standing, checked, others } = shownStandingOf(board, idOf(1));
  const seen = [standing, sinceOf(board.results.get(idOf(1))!), checked?.length, others?.[0]?.outcome];
  assert.deepEqual(seen, ['confirmed', timeOf(2), 1, 'not confirmed']);
});

test('from the viewpoint of another signer a part has what that holds, and the viewer decides', () => {
  const seen = threadOf(MESSAGES).read(OUT);
  assert.deepEqual(seen.trusted, [[signerOf(OUT), 'viewer', undefined]]);
  assert.deepEqual(seen.parts[0], ['refuted', undefined]);
  assert.deepEqual(seen.setAside.at(-1), [1, 'refuted']);
});

test('a message that reports hold makes no row, and its part keeps its state', () => {
  const { parts, results, trusted } = threadOf(MESSAGES, [1, 3]).read();
  assert.deepEqual([parts[0], results], [['confirmed', undefined], []]);
  assert.deepEqual(trusted[2], [signerOf(NAMED), 'named', undefined]);
});

test('of those to review each signer has one before others, and a withdrawal that reports hold is not named', () => {
  const { read } = threadOf([
    [OPENER, 'IDEA: x'],
    [STRANGER, 'RESULT: one'],
    [STRANGER, 'RESULT: two'],
    [OUT, 'RESULT: three'],
  ]);
  assert.deepEqual(read().toReview, [3, 2, 1]);
  const withdrawn = 'REVIEW: of it\nOutcome: withdrawn';
  const messages = [
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: one'],
    [OPENER, `REVIEW: x\nResult being checked: ${idOf(1)}\nOutcome: confirmed\nEvidence: x`],
    [WRITER, `${withdrawn}\nResult being checked: ${idOf(1)}`],
  ] as const;
  for (const [held, expected] of [
    [[], idOf(3)],
    [[3], undefined],
  ] as const)
    assert.equal(shownStandingOf(threadOf(messages, held).board, idOf(1)).withdrawn, expected);
});
