import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freeParts, partsFor } from '#work/parts.ts';
import { isOpen } from '#work/open.ts';
import { sinceOf } from '#work/known.ts';
import { readStanding } from '#work/standing-view.ts';
import { isEnded, judge } from '#work/verdicts.ts';
import { countOf } from '#work/reviews.ts';
import { statusOf } from '#work/works.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { boardOf, listWork } from '../../support/derived-work.ts';
import { signerOf } from '../../support/strangers.ts';
import {
  type Message,
  idOf,
  MINUTE_MS,
  reviewOf,
  stepsOfThread,
  THREAD_START,
} from '../../support/threads.ts';

const LATER = THREAD_START + 60 * MINUTE_MS;

const [OPENER, WRITER, OTHER, STRANGER] = [1, 2, 3, 4];

function threadOf(messages: readonly Message[], held: readonly number[] = []) {
  const board = boardOf(stepsOfThread(messages, held));
  const result = (n: number) => board.results.get(idOf(n))!;
  return {
    board,
    idea: board.ideas.get(idOf(0))!,
    result,
    standing: (n: number) => judge(result(n)).standing,
  };
}

const correction = (of: number, rest = ''): string => `RESULT: y\nCorrects: ${idOf(of)}${rest}`;

test('a RESULT whose third edition is confirmed stays replaced', () => {
  const reviewed = (second: string) =>
    threadOf([
      [OPENER, 'IDEA: x'],
      [WRITER, 'RESULT: y'],
      [OPENER, reviewOf(1, 'confirmed')],
      [WRITER, correction(1)],
      [OPENER, second],
      [WRITER, correction(3)],
      [OPENER, reviewOf(5, 'confirmed')],
    ]);
  for (const second of [reviewOf(3, 'confirmed'), 'thank you']) {
    const { standing } = reviewed(second);
    assert.deepEqual([1, 3, 5].map(standing), ['replaced', 'replaced', 'confirmed'], second);
  }
});

test('a confirmed RESULT stands while no later edition of it is confirmed', () => {
  const { standing } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, reviewOf(1, 'confirmed')],
    [WRITER, correction(1)],
    [WRITER, correction(3)],
  ]);
  assert.deepEqual([1, 3, 4].map(standing), ['confirmed', 'replaced', 'unreviewed']);
});

/** Votes on one RESULT, those of the opener first, which count twice, and how it stands. */
const VOTES: readonly (readonly [opener: string, other: string, third: string, standing: string])[] = [
  ['confirmed', 'not confirmed', 'confirmed', 'confirmed'],
  ['confirmed', 'partly confirmed', 'partly confirmed', 'partlyConfirmed'],
  ['confirmed', 'not confirmed', 'not confirmed', 'contested'],
  ['partly confirmed', 'confirmed', 'confirmed', 'partlyConfirmed'],
  ['partly confirmed', 'not confirmed', 'not confirmed', 'contested'],
  ['partly confirmed', 'not confirmed', 'confirmed', 'partlyConfirmed'],
  ['not confirmed', 'partly confirmed', 'partly confirmed', 'contested'],
  ['not confirmed', 'confirmed', 'confirmed', 'contested'],
  ['not confirmed', 'confirmed', 'partly confirmed', 'refuted'],
];

const TRUST = `IDEA: x\nTrust: ${signerOf(OTHER)} ${signerOf(STRANGER)}`;

for (const [opener, other, third, expected] of VOTES)
  test(`${opener} by the opener, ${other} and ${third} by trusted agents: ${expected}`, () => {
    const { standing } = threadOf([
      [OPENER, TRUST],
      [WRITER, 'RESULT: y'],
      [OPENER, reviewOf(1, opener)],
      [OTHER, reviewOf(1, other)],
      [STRANGER, reviewOf(1, third)],
    ]);
    assert.equal(standing(1), expected);
  });

test('a withdrawal takes a RESULT down, but for one that stands confirmed or confirmed in part', () => {
  for (const [outcome, expected] of [
    ['confirmed', 'confirmed'],
    ['partly confirmed', 'partlyConfirmed'],
    ['not confirmed', 'withdrawn'],
  ] as const) {
    const { result, standing } = threadOf([
      [OPENER, 'IDEA: x'],
      [WRITER, 'RESULT: y'],
      [OPENER, reviewOf(1, outcome)],
      [WRITER, reviewOf(1, 'withdrawn')],
    ]);
    assert.equal(standing(1), expected);
    assert.equal(judge(result(1)).withdrawal?.id, idOf(3), outcome);
  }
});

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
    board.update(LATER, () => false);
    const listed = Object.values(board.lists.read()).flatMap((steps) => steps.map(({ id }) => id));
    assert.deepEqual(
      held.filter((n) => listed.includes(idOf(n))),
      [],
    );
  }
  const whole = [[OPENER, 'IDEA: x'], [WRITER, 'RESULT: y'], messages[3]] as const;
  const done = whole.map(([key, text]) => [key, text.replace(idOf(2), idOf(1))] as const);
  for (const held of [[], [1]]) assert.equal(isOpen(threadOf(done, held).idea), false);
});

const PARTS = Array.from({ length: 9 }, (_, n) => `p${n}`);

test('a RESULT that ends many WORKs has two of their parts', () => {
  const works = PARTS.map((part) => [STRANGER, `WORK: x\nPart: ${part}`] as const);
  const ids = works.map((_, n) => idOf(n + 1)).join(' ');
  const { idea, result } = threadOf([
    [OPENER, `IDEA: x\nParts: ${PARTS.join('; ')}`],
    ...works,
    [STRANGER, `RESULT: y\nEnds: ${ids}`],
    [OPENER, reviewOf(10, 'confirmed')],
  ]);
  assert.deepEqual(
    partsFor(result(10)).map(({ index }) => index),
    [8, 7],
  );
  assert.deepEqual(freeParts(idea, LATER), PARTS.slice(0, 7));
});

test('a correction keeps the parts of what it corrects, also if it ends a WORK or corrects what has none', () => {
  const { idea, result } = threadOf([
    [OPENER, 'IDEA: x\nParts: one; two'],
    [WRITER, 'RESULT: z'],
    [WRITER, 'RESULT: y\nPart: one'],
    [WRITER, 'WORK: mend it'],
    [WRITER, `${correction(1)} ${idOf(2)}\nEnds: ${idOf(3)}`],
    [OPENER, reviewOf(4, 'confirmed')],
  ]);
  assert.equal(partsFor(result(4)).length, 1);
  assert.deepEqual(freeParts(idea, LATER), ['two']);
});

test('a REVIEW judges what its line "Result being checked" names, whatever stands on other lines', () => {
  const { standing } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [
      OPENER,
      `REVIEW: x\nWhat I checked: every row, against ${idOf(1)}\n${reviewOf(2, 'not confirmed').slice(10)}`,
    ],
    [
      OPENER,
      `REVIEW: x\nResult being checked: the first\nChecked: ${idOf(1)}\nEvidence: x\nOutcome: confirmed`,
    ],
  ]);
  assert.deepEqual([1, 2].map(standing), ['confirmed', 'refuted']);
});

test('a withdrawal with nothing before it counts nothing, whatever its key says later', () => {
  const { result } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, reviewOf(1, 'withdrawn')],
    [OPENER, reviewOf(1, 'confirmed')],
    [OPENER, reviewOf(1, 'withdrawn')],
  ]);
  assert.deepEqual(
    result(1).reviews.map((one) => countOf(result(1), one)?.as),
    [undefined, undefined, 'withdrawn'],
  );
});

test('two whom the opener let in change nothing by what they say after it has ended the IDEA', () => {
  const work = [
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [STRANGER, 'RESULT: a'],
    ...[1, 2, 3].map((n) => [OPENER, reviewOf(n, 'confirmed')] as const),
    [OTHER, reviewOf(1, 'confirmed')],
    [OPENER, `done\nEnds: ${idOf(0)}`],
  ] as const;
  const late = [OTHER, STRANGER].map((key) => [key, reviewOf(1, 'not confirmed')] as const);
  const { board, standing } = threadOf([...work, ...late]);
  assert.deepEqual([1, 2, 3].map(standing), ['confirmed', 'confirmed', 'confirmed']);
  const { checked, others } = readStanding(board, idOf(1));
  assert.deepEqual(
    checked?.map(({ signer }) => signer),
    [OPENER, OTHER].map(signerOf),
  );
  assert.deepEqual(
    others?.map(({ id, sinceEnd, trusted }) => [id, sinceEnd, trusted]),
    [[idOf(10), true, true]],
  );
  assert.deepEqual(
    board.results.get(idOf(1))!.reviews.map((one) => countOf(board.results.get(idOf(1))!, one)?.sinceEnd),
    [undefined, undefined, true, true],
  );
  const later = [...work, ...late, [OPENER, reviewOf(1, 'partly confirmed')]] as const;
  assert.equal(threadOf(later).standing(1), 'partlyConfirmed', 'the opener decides as before');
  // Before the end they would have decided it.
  assert.equal(threadOf([...work.slice(0, -1), ...late]).standing(1), 'contested');
});

test('six editions shed nothing: what is said against an earlier one stands until its signer judges a later one', () => {
  const { board, standing } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, reviewOf(1, 'not confirmed')],
    ...[1, 3, 4, 5, 6].map((n) => [WRITER, correction(n)] as const),
    [STRANGER, reviewOf(7, 'confirmed')],
  ]);
  assert.deepEqual([1, 3, 4, 5, 6, 7].map(standing), [...Array<string>(5).fill('replaced'), 'reviewed']);
  const othersOf = (from: typeof board) =>
    readStanding(from, idOf(7)).others?.map(({ outcome, id, of, trusted }) => [outcome, id, of, trusted]);
  assert.deepEqual(othersOf(board), [
    ['not confirmed', idOf(2), idOf(1), true],
    ['confirmed', idOf(8), undefined, undefined],
  ]);
});

test('no word of a stranger stands in the place of what a trusted signer says, also of an earlier edition', () => {
  const { board } = threadOf([
    [OPENER, `IDEA: x\nTrust: ${signerOf(OTHER)}`],
    [WRITER, 'RESULT: y'],
    [OPENER, reviewOf(1, 'confirmed')],
    [OTHER, reviewOf(1, 'not confirmed')],
    [STRANGER, reviewOf(1, 'not confirmed')],
    [STRANGER, 'RESULT: z'],
    [OTHER, reviewOf(5, 'not confirmed')],
    [STRANGER, correction(5)],
    [6, reviewOf(7, 'not confirmed')],
    [5, reviewOf(7, 'not confirmed')],
  ]);
  const others = [1, 7].map((n) =>
    readStanding(board, idOf(n)).others?.map(({ id, of, trusted }) => [id, of, trusted]),
  );
  assert.deepEqual(others, [[[idOf(3), undefined, true]], [[idOf(6), idOf(5), true]]]);
});

test('a REVIEW that neither list shows is told as more, whatever a trusted signer says since the end', () => {
  const { board } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [OPENER, reviewOf(2, 'confirmed')],
    [OTHER, reviewOf(1, 'confirmed')],
    [STRANGER, reviewOf(1, 'not confirmed')],
    [OPENER, `done\nEnds: ${idOf(0)}`],
    [OTHER, reviewOf(1, 'not confirmed')],
  ]);
  const { checked, others, more } = readStanding(board, idOf(1));
  assert.deepEqual([checked?.[0]?.id, others?.[0]?.id, more], [idOf(4), idOf(7), true]);
});

test('a signer who is trusted again votes from then on, not since its earlier review', () => {
  const thread = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [OPENER, reviewOf(2, 'confirmed')],
    [OTHER, reviewOf(1, 'confirmed')],
    [OPENER, `Distrust: ${signerOf(OTHER)}`],
    [OPENER, `Trust: ${signerOf(OTHER)}`],
  ]);
  assert.equal(thread.standing(1), 'confirmed');
  assert.equal(sinceOf(thread.result(1)), timestampAt(THREAD_START + 6 * MINUTE_MS));
});

test('a RESULT that is confirmed in part and withdrawn stands in its thread, and in no list over threads', () => {
  const messages = [
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, reviewOf(1, 'partly confirmed')],
  ] as const;
  const withdrawn = threadOf([...messages, [WRITER, reviewOf(1, 'withdrawn')]]);
  assert.equal(withdrawn.standing(1), 'partlyConfirmed');
  assert.deepEqual(listWork(withdrawn.board, LATER).partlyConfirmed, []);
  const { partlyConfirmed } = listWork(threadOf(messages).board, LATER);
  assert.deepEqual(
    partlyConfirmed.map(({ id }) => id),
    [idOf(1)],
  );
});
