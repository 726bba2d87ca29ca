import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHeld, type Step } from '#message/step.ts';
import type { Post } from '#store/port/records.ts';
import { freeParts, partsFor } from '#work/parts.ts';
import { isOpen } from '#work/open.ts';
import { sinceOf } from '#work/thread-summary.ts';
import { shownStandingOf } from '#work/standing-view.ts';
import { isEnded } from '#work/model.ts';
import { judge } from '#work/verdicts.ts';
import { effectOf } from '#work/reviews.ts';
import { statusOf } from '#work/works.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { timestampAt } from '#workspace/text/time.ts';
import { boardOf, listWork, toSteps } from '../../support/derived-work.ts';
import { signerOf } from '../../support/strangers.ts';

const START = Date.UTC(2026, 2, 2);
const MINUTE_MS = 60_000;
const LATER = START + 60 * MINUTE_MS;

const [OPENER, WRITER, OTHER, STRANGER] = [1, 2, 3, 4];

const idOf = (n: number): string => `post_019c9a32-2000-7000-8000-${String(n).padStart(12, '0')}`;

/**
 * @param messages of one thread, a minute apart, each with the number of its key
 * @param held the places of those that reports hold
 */
function threadOf(
  messages: readonly (readonly [key: number, message: string])[],
  held: readonly number[] = [],
) {
  const posts = messages.map(([key, message], n): Post => {
    const place = { parentId: n === 0 ? null : idOf(0), rootId: idOf(0) };
    const createdAt = timestampAt(START + n * MINUTE_MS);
    return { id: idOf(n), message, prefix: parsePrefix(message), mark: signerOf(key), ...place, createdAt };
  });
  const isHeld = ({ id }: Step): boolean => held.some((n) => idOf(n) === id);
  const board = boardOf(toSteps(posts).map((step) => (isHeld(step) ? toHeld(step) : step)));
  const result = (n: number) => board.results.get(idOf(n))!;
  return {
    board,
    idea: board.ideas.get(idOf(0))!,
    result,
    standing: (n: number) => judge(result(n)).standing,
  };
}

const review = (of: number, outcome: string): string =>
  `REVIEW: x\nResult being checked: ${idOf(of)}\nEvidence: counted again\nOutcome: ${outcome}`;
const correction = (of: number, rest = ''): string => `RESULT: y\nCorrects: ${idOf(of)}${rest}`;

test('a RESULT whose third edition is confirmed stays replaced', () => {
  const reviewed = (second: string) =>
    threadOf([
      [OPENER, 'IDEA: x'],
      [WRITER, 'RESULT: y'],
      [OPENER, review(1, 'confirmed')],
      [WRITER, correction(1)],
      [OPENER, second],
      [WRITER, correction(3)],
      [OPENER, review(5, 'confirmed')],
    ]);
  for (const second of [review(3, 'confirmed'), 'thank you']) {
    const { standing } = reviewed(second);
    assert.deepEqual([1, 3, 5].map(standing), ['replaced', 'replaced', 'confirmed'], second);
  }
});

test('a confirmed RESULT stands while no later edition of it is confirmed', () => {
  const { standing } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, review(1, 'confirmed')],
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
      [OPENER, review(1, opener)],
      [OTHER, review(1, other)],
      [STRANGER, review(1, third)],
    ]);
    assert.equal(standing(1), expected);
  });

test('after the end of the IDEA only reviews by the opener count', () => {
  const messages = [
    [OPENER, TRUST],
    [WRITER, 'RESULT: y'],
    [OPENER, review(1, 'confirmed')],
    [OPENER, `it ends\nEnds: ${idOf(0)}`],
    [OTHER, review(1, 'not confirmed')],
    [STRANGER, review(1, 'not confirmed')],
  ] as const;
  assert.equal(threadOf(messages).standing(1), 'confirmed');
  assert.equal(
    threadOf([...messages, [OPENER, review(1, 'partly confirmed')]]).standing(1),
    'partlyConfirmed',
  );
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
      [OPENER, review(1, outcome)],
      [WRITER, review(1, 'withdrawn')],
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
    [OPENER, review(2, 'confirmed')],
    [OTHER, 'RESULT: z\nPart: mills'],
    [OPENER, review(4, 'not confirmed')],
    [OTHER, 'RESULT: again'],
    [OPENER, `it ends\nEnds: ${idOf(0)}`],
  ] as const;
  for (const held of [[], [2], [1], [1, 2, 3, 4, 5, 7]]) {
    const { board, idea } = threadOf(messages.slice(0, 7), held);
    assert.deepEqual(freeParts(idea, LATER), ['mills'], String(held));
    assert.equal(statusOf(board.works.get(idOf(1))!).endedBy?.id, idOf(2));
    assert.equal(isEnded(threadOf(messages, held).idea), true);
    board.update(LATER, () => false);
    const listed = Object.values(board.lists.current()).flatMap((steps) => steps.map(({ id }) => id));
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
    [OPENER, review(10, 'confirmed')],
  ]);
  assert.deepEqual(
    partsFor(result(10)).map(({ index }) => index),
    [8, 7],
  );
  assert.deepEqual(freeParts(idea, LATER), PARTS.slice(0, 7));
});

test('a correction that names no part is for the parts of what it corrects', () => {
  const { idea, result } = threadOf([
    [OPENER, 'IDEA: x\nParts: one; two'],
    [WRITER, 'RESULT: y\nPart: one'],
    [OPENER, review(1, 'confirmed')],
    [WRITER, correction(1)],
    [OPENER, review(3, 'confirmed')],
    [WRITER, correction(3)],
    [OPENER, review(5, 'confirmed')],
    [STRANGER, correction(1)],
  ]);
  assert.deepEqual(freeParts(idea, LATER), ['two']);
  assert.deepEqual(
    [1, 3, 5, 7].map((n) => partsFor(result(n)).length),
    [1, 1, 1, 0],
  );
});

test('a correction keeps the parts of what it corrects, also if it ends a WORK or corrects what has none', () => {
  const { idea, result } = threadOf([
    [OPENER, 'IDEA: x\nParts: one; two'],
    [WRITER, 'RESULT: z'],
    [WRITER, 'RESULT: y\nPart: one'],
    [WRITER, 'WORK: mend it'],
    [WRITER, `${correction(1)} ${idOf(2)}\nEnds: ${idOf(3)}`],
    [OPENER, review(4, 'confirmed')],
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
      `REVIEW: x\nWhat I checked: every row, against ${idOf(1)}\n${review(2, 'not confirmed').slice(10)}`,
    ],
    [
      OPENER,
      `REVIEW: x\nResult being checked: the first\nChecked: ${idOf(1)}\nEvidence: x\nOutcome: confirmed`,
    ],
  ]);
  assert.deepEqual([1, 2].map(standing), ['confirmed', 'refuted']);
});

test('what a key that is not trusted has withdrawn or changed is not what others say', () => {
  const { board } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [STRANGER, review(1, 'not confirmed')],
    [STRANGER, review(1, 'withdrawn')],
    [OTHER, review(1, 'not confirmed')],
    [OTHER, review(1, 'confirmed')],
  ]);
  assert.deepEqual(
    shownStandingOf(board, idOf(1)).others?.map(({ outcome }) => outcome),
    ['confirmed'],
  );
});

test('a withdrawal with nothing before it counts nothing, whatever its key says later', () => {
  const { result } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, review(1, 'withdrawn')],
    [OPENER, review(1, 'confirmed')],
    [OPENER, review(1, 'withdrawn')],
  ]);
  assert.deepEqual(
    result(1).reviews.map((one) => effectOf(result(1), one)?.as),
    [undefined, undefined, 'withdrawn'],
  );
});

test('two whom the opener let in change nothing by what they say after it has ended the IDEA', () => {
  const work = [
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [STRANGER, 'RESULT: a'],
    ...[1, 2, 3].map((n) => [OPENER, review(n, 'confirmed')] as const),
    [OTHER, review(1, 'confirmed')],
    [OPENER, `done\nEnds: ${idOf(0)}`],
  ] as const;
  const late = [OTHER, STRANGER].map((key) => [key, review(1, 'not confirmed')] as const);
  const { board, standing } = threadOf([...work, ...late]);
  assert.deepEqual([1, 2, 3].map(standing), ['confirmed', 'confirmed', 'confirmed']);
  const { checked, others } = shownStandingOf(board, idOf(1));
  assert.deepEqual(
    checked?.map(({ signer }) => signer),
    [OPENER, OTHER].map(signerOf),
  );
  assert.deepEqual(
    others?.map(({ id, sinceEnd, trusted }) => [id, sinceEnd, trusted]),
    [[idOf(10), true, true]],
  );
  assert.deepEqual(
    board.results.get(idOf(1))!.reviews.map((one) => effectOf(board.results.get(idOf(1))!, one)?.sinceEnd),
    [undefined, undefined, true, true],
  );
  // Before the end they would have decided it.
  assert.equal(threadOf([...work.slice(0, -1), ...late]).standing(1), 'contested');
});

test('a writer who withdraws five confirmed RESULTs takes none of them down', () => {
  const all = [1, 2, 3, 4, 5];
  const { board, standing } = threadOf([
    [OPENER, 'IDEA: x'],
    ...all.map((n) => [WRITER, `RESULT: y ${n}`] as const),
    ...all.map((n) => [OPENER, review(n, 'confirmed')] as const),
    ...all.map((n) => [WRITER, review(n, n % 2 === 0 ? 'withdrawn' : 'not confirmed')] as const),
  ]);
  assert.deepEqual(all.map(standing), Array(5).fill('confirmed'));
  assert.equal(shownStandingOf(board, idOf(3)).withdrawn, idOf(13));
  board.update(START + 48 * 60 * MINUTE_MS, () => false);
  assert.deepEqual(board.lists.current().confirmed, []);
});

test('six editions shed nothing: what is said against an earlier one stands until its signer judges a later one', () => {
  const { board, standing } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, review(1, 'not confirmed')],
    ...[1, 3, 4, 5, 6].map((n) => [WRITER, correction(n)] as const),
    [STRANGER, review(7, 'confirmed')],
  ]);
  assert.deepEqual([1, 3, 4, 5, 6, 7].map(standing), [...Array<string>(5).fill('replaced'), 'reviewed']);
  const othersOf = (from: typeof board) =>
    shownStandingOf(from, idOf(7)).others?.map(({ outcome, id, of, trusted }) => [outcome, id, of, trusted]);
  assert.deepEqual(othersOf(board), [
    ['not confirmed', idOf(2), idOf(1), true],
    ['confirmed', idOf(8), undefined, undefined],
  ]);
});

test('no word of a stranger stands in the place of what a trusted signer says, also of an earlier edition', () => {
  const { board } = threadOf([
    [OPENER, `IDEA: x\nTrust: ${signerOf(OTHER)}`],
    [WRITER, 'RESULT: y'],
    [OPENER, review(1, 'confirmed')],
    [OTHER, review(1, 'not confirmed')],
    [STRANGER, review(1, 'not confirmed')],
    [STRANGER, 'RESULT: z'],
    [OTHER, review(5, 'not confirmed')],
    [STRANGER, correction(5)],
    [6, review(7, 'not confirmed')],
    [5, review(7, 'not confirmed')],
  ]);
  const others = [1, 7].map((n) =>
    shownStandingOf(board, idOf(n)).others?.map(({ id, of, trusted }) => [id, of, trusted]),
  );
  assert.deepEqual(others, [[[idOf(3), undefined, true]], [[idOf(6), idOf(5), true]]]);
});

test('the first word of the opener may be too kind: its next one counts, and lets nobody in', () => {
  const kind = [
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, review(1, 'confirmed')],
    [STRANGER, 'RESULT: z'],
    [WRITER, review(3, 'confirmed')],
  ] as const;
  assert.deepEqual([1, 3].map(threadOf(kind).standing), ['confirmed', 'confirmed']);
  const careful = threadOf([...kind, [OPENER, review(1, 'not confirmed')]]);
  assert.deepEqual([1, 3].map(careful.standing), ['refuted', 'reviewed']);
});

test('where the opener names nobody and never comes back, nothing is decided, and REVIEWs stand beside', () => {
  const { board, standing } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, review(1, 'confirmed')],
    [STRANGER, review(1, 'not confirmed')],
  ]);
  assert.equal(standing(1), 'reviewed');
  const { others, checked } = shownStandingOf(board, idOf(1));
  assert.deepEqual(
    [others?.map(({ outcome }) => outcome), checked],
    [['not confirmed', 'confirmed'], undefined],
  );
});

test('a REVIEW that neither list shows is told as more, whatever a trusted signer says since the end', () => {
  const { board } = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [OPENER, review(2, 'confirmed')],
    [OTHER, review(1, 'confirmed')],
    [STRANGER, review(1, 'not confirmed')],
    [OPENER, `done\nEnds: ${idOf(0)}`],
    [OTHER, review(1, 'not confirmed')],
  ]);
  const { checked, others, more } = shownStandingOf(board, idOf(1));
  assert.deepEqual([checked?.[0]?.id, others?.[0]?.id, more], [idOf(4), idOf(7), true]);
});

test('a signer who is trusted again votes from then on, not since its earlier review', () => {
  const thread = threadOf([
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OTHER, 'RESULT: z'],
    [OPENER, review(2, 'confirmed')],
    [OTHER, review(1, 'confirmed')],
    [OPENER, `Distrust: ${signerOf(OTHER)}`],
    [OPENER, `Trust: ${signerOf(OTHER)}`],
  ]);
  assert.equal(thread.standing(1), 'confirmed');
  assert.equal(sinceOf(thread.result(1)), timestampAt(START + 6 * MINUTE_MS));
});

test('a RESULT that is confirmed in part and withdrawn stands in its thread, and in no list over threads', () => {
  const messages = [
    [OPENER, 'IDEA: x'],
    [WRITER, 'RESULT: y'],
    [OPENER, review(1, 'partly confirmed')],
  ] as const;
  const withdrawn = threadOf([...messages, [WRITER, review(1, 'withdrawn')]]);
  assert.equal(withdrawn.standing(1), 'partlyConfirmed');
  assert.deepEqual(listWork(withdrawn.board, LATER).partlyConfirmed, []);
  const { partlyConfirmed } = listWork(threadOf(messages).board, LATER);
  assert.deepEqual(
    partlyConfirmed.map(({ id }) => id),
    [idOf(1)],
  );
});
