import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStepFacts } from '#message/step.ts';
import { freeParts, partsOf } from '#work/parts.ts';
import { isOpen, isTaken } from '#work/open.ts';
import { boardOf } from '../../support/derived-work.ts';
import { signerOf } from '../../support/strangers.ts';
import { firstOf } from '../../support/thorough.ts';
import { workByHand } from '../../support/work-by-hand.ts';
import { SeededRandom } from '../../torture/support/random.ts';
import {
  type Message,
  idOf,
  MINUTE_MS,
  NOBODY,
  reviewOf,
  stepsOfThread,
  THREAD_START,
} from '../../support/threads.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const [OPENER, MEMBER, STRANGER, OTHER] = [1, 2, 3, 4];

/** @returns of each part of the first message, after a time, its state and what stands beside it */
function statesOf(
  messages: readonly Message[],
  later = messages.length * MINUTE_MS,
  held: readonly number[] = [],
) {
  const idea = boardOf(stepsOfThread(messages, held)).ideas.get(idOf(0))!;
  const numberOf = ({ step }: { step: { id: string } }): number => Number(step.id.slice(-12));
  const parts = partsOf(idea, THREAD_START + later).map(({ name, state, refuted, announced }) => ({
    name,
    state,
    refuted: refuted.map(numberOf),
    announced: announced.map(numberOf),
  }));
  return {
    idea,
    states: parts.map(({ state }) => state),
    announced: parts.map(({ announced }) => announced),
    refuted: parts.map(({ refuted }) => refuted),
    free: freeParts(idea, THREAD_START + later),
  };
}

const DUE = 'Next update by (UTC): 2026-03-20';
const work = (part: string): string => `WORK: x\nPart: ${part}\n${DUE}`;
const result = (part: string): string => `RESULT: y\nPart: ${part}`;

const IDEA: Message = [OPENER, 'IDEA: x\nParts: a; b; c'];
const HELLO: Message = [MEMBER, 'hello'];
const TRUST: Message = [OPENER, `Trust: ${signerOf(MEMBER)}`];
const TEAM = [IDEA, HELLO, TRUST] as const;

test('four outsiders take all parts: all stay free, and what they announced is named', () => {
  const outsiders = [STRANGER, OTHER, 5, NOBODY];
  const taken = outsiders.map((key, n): Message => [key, work(['a', 'b', 'c', 'a'][n]!)]);
  const { states, announced, free, idea } = statesOf([IDEA, ...taken]);
  assert.deepEqual(states, ['free', 'free', 'free']);
  assert.deepEqual(announced, [[4, 1], [2], [3]]);
  assert.deepEqual(free, ['a', 'b', 'c']);
  assert.equal(isTaken(idea, THREAD_START + HOUR_MS), false);
  assert.deepEqual(statesOf([IDEA, ...taken], 2 * DAY_MS).announced, [[], [], []]);
});

test('a signer announces one part, its newest, which comes last among the free ones', () => {
  const messages: Message[] = [IDEA, [STRANGER, work('a; b')], [OTHER, result('b')]];
  assert.deepEqual(statesOf(messages).announced, [[1], [2], []]);
  assert.deepEqual(statesOf(messages).free, ['c', 'a', 'b']);
  const later: Message[] = [...messages, [STRANGER, work('c')]];
  assert.deepEqual(statesOf(later).announced, [[], [2], [3]]);
  // A WORK without a part is no announcement of one.
  assert.deepEqual(statesOf([...later, [STRANGER, 'WORK: all']]).announced, [[], [2], [3]]);
});

test('two parts a signer for 24 hours, until its RESULT that stands', () => {
  const full: Message[] = [...TEAM, [MEMBER, work('a')], [MEMBER, work('b')], [MEMBER, work('c')]];
  assert.deepEqual(statesOf(full).states, ['underWay', 'underWay', 'free']);
  assert.deepEqual(statesOf(full).announced, [[], [], [5]]);
  const again: Message[] = [...full, [MEMBER, work('a')]];
  assert.deepEqual(statesOf(again, DAY_MS + 3 * MINUTE_MS - 1).states[0], 'underWay');
  assert.deepEqual(statesOf(again, DAY_MS + 3 * MINUTE_MS).states[0], 'free');

  // The RESULT ends the WORK on a. That on b goes on, and a new one may follow.
  const ended = `${result('a')}\nEnds: ${idOf(3)}`;
  const renewed: Message[] = [...full, [MEMBER, ended], [MEMBER, work('c')]];
  assert.deepEqual(statesOf(renewed).states, ['toReview', 'underWay', 'underWay']);
  assert.deepEqual(statesOf(renewed, DAY_MS + 5 * MINUTE_MS).states, ['toReview', 'underWay', 'underWay']);
  assert.deepEqual(statesOf(renewed, DAY_MS + 6 * MINUTE_MS).states, ['toReview', 'free', 'free']);
  const refuted: Message[] = [...renewed, [OPENER, reviewOf(6, 'not confirmed')]];
  assert.deepEqual(statesOf(refuted).states, ['refuted', 'underWay', 'free']);
  const withdrawn: Message[] = [...renewed, [MEMBER, reviewOf(6, 'withdrawn')]];
  assert.deepEqual(statesOf(withdrawn).states, ['free', 'underWay', 'free']);
});

test('WORKs that are over when a RESULT comes leave no part that their signer holds', () => {
  const works = ['a', 'b'].map((part): Message => [MEMBER, work(part).replace('-20', '-02 00:09')]);
  const between = Array.from({ length: 9 }, (): Message => [OPENER, 'and']);
  const messages: Message[] = [...TEAM, ...works, ...between, [MEMBER, `${result('a')}\nEnds: none`]];
  assert.deepEqual(statesOf([...messages, [MEMBER, work('c')]]).states, ['toReview', 'free', 'underWay']);
});

test('what a part is by votes goes before what anybody does with it', () => {
  const base: Message[] = [...TEAM, [STRANGER, result('a')], [MEMBER, work('a')]];
  const after = (outcome: string, key = OPENER) => statesOf([...base, [key, reviewOf(3, outcome)]]).states[0];
  assert.equal(statesOf(base).states[0], 'underWay');
  assert.equal(after('confirmed'), 'confirmed');
  assert.equal(after('partly confirmed'), 'partlyConfirmed');
  assert.equal(after('not confirmed'), 'underWay');
  assert.equal(after('confirmed', OTHER), 'underWay');
  const contested: Message[] = [
    ...base,
    [OTHER, 'hello'],
    [OPENER, `Trust: ${signerOf(OTHER)}`],
    [OPENER, reviewOf(3, 'confirmed')],
    [MEMBER, reviewOf(3, 'not confirmed')],
    [OTHER, reviewOf(3, 'not confirmed')],
  ];
  assert.equal(statesOf(contested).states[0], 'toReview');
});

test('a refuted part is free, and names the newest two RESULTs that votes refute', () => {
  const wrong = [3, 4, 5].map((key): Message => [key, result('a')]);
  const votes = [1, 2, 3].map((n): Message => [OPENER, reviewOf(n, 'not confirmed')]);
  const { states, refuted, free, idea } = statesOf([IDEA, ...wrong, ...votes]);
  assert.deepEqual(states, ['refuted', 'free', 'free']);
  assert.deepEqual(refuted, [[3, 2], [], []]);
  assert.deepEqual(free, ['a', 'b', 'c']);
  assert.equal(isOpen(idea), true);
});

const TABLE = Array.from({ length: 12 }, (_, n) => `\nrow ${n} of the table of wells`).join('');

test('an edition is for the parts of what it corrects, whatever part it names', () => {
  const messages: Message[] = [
    ...TEAM,
    [MEMBER, result('a')],
    [MEMBER, result('b')],
    [MEMBER, `${result('c')}\nCorrects: ${idOf(3)} ${idOf(4)}`],
    [OPENER, reviewOf(5, 'confirmed')],
  ];
  assert.deepEqual(statesOf(messages).states, ['confirmed', 'confirmed', 'free']);
  // Somebody else corrects nothing.
  const other: Message[] = [...messages, [OPENER, `${result('c')}\nCorrects: ${idOf(3)}`]];
  assert.deepEqual(statesOf(other).states, ['confirmed', 'confirmed', 'toReview']);
});

test('where the opener did not sign, anybody moves one part a message, and none is ever closed', () => {
  const messages: Message[] = [
    [NOBODY, 'IDEA: x\nParts: a; b; c'],
    [STRANGER, work('a; b')],
    [NOBODY, result('c; b')],
  ];
  const { states, announced, idea } = statesOf(messages);
  assert.deepEqual(states, ['underWay', 'free', 'toReview']);
  assert.deepEqual(announced, [[], [], []]);
  assert.deepEqual(statesOf(messages, DAY_MS + MINUTE_MS).states, ['free', 'free', 'toReview']);
  const all = ['a', 'b', 'c'].map((part): Message => [NOBODY, result(part)]);
  const done = statesOf([...messages, ...all, [OTHER, reviewOf(3, 'confirmed')]]);
  assert.deepEqual(done.states, ['toReview', 'toReview', 'toReview']);
  assert.deepEqual([isOpen(done.idea), isTaken(done.idea, THREAD_START + HOUR_MS)], [true, true]);
  assert.equal(isTaken(idea, THREAD_START + HOUR_MS), false);
});

test('the opener adds parts to the IDEA later, 20 in all, and nobody else does', () => {
  const adding = 'Two more.\nParts: B!; d; e';
  const ignored: Message[] = [
    [STRANGER, adding],
    [NOBODY, adding],
    [OPENER, `IDEA: another\n${adding}`],
  ];
  assert.equal(statesOf([IDEA, ...ignored]).idea.parts.length, 3);
  const added: Message[] = [IDEA, [STRANGER, work('d')], [OPENER, adding], [OPENER, work('d')]];
  const { idea, states, announced } = statesOf(added);
  assert.deepEqual(idea.parts, ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(states, ['free', 'free', 'free', 'underWay', 'free']);
  // A message is for parts that were there when it came.
  assert.deepEqual(announced, [[], [], [], [], []]);
  const many = Array.from({ length: 25 }, (_, n) => `part of number ${n}`).join('; ');
  assert.equal(statesOf([[OPENER, `IDEA: x\nParts: ${many}`]]).idea.parts.length, 20);
  assert.equal(statesOf([IDEA, [OPENER, `RESULT: x\nParts: ${many}`]]).idea.parts.length, 20);
  assert.equal(
    statesOf([
      [OPENER, 'IDEA: x'],
      [OPENER, adding],
    ]).idea.parts.length,
    3,
  );
  // Reports of the message that added parts change nothing of that.
  const { ideas } = boardOf(stepsOfThread(added, [2]));
  assert.equal(ideas.get(idOf(0))!.parts.length, 5);
});

test('"Part:" means equal words, or the only part of which one begins with the other, in whole words', () => {
  const found = (parts: string, named: string): string[] => {
    const messages: Message[] = [
      [OPENER, `IDEA: x\nParts: ${parts}`],
      [OPENER, work(named)],
    ];
    const { works } = boardOf(stepsOfThread(messages));
    return works.get(idOf(1))!.parts.map(({ idea, index }) => idea.parts[index]!);
  };
  assert.deepEqual(found('Apple; A', 'A'), ['A']);
  assert.deepEqual(found('Apple; A wells', 'part a'), ['A wells']);
  assert.deepEqual(found('Apple; A wells', 'A wells of the north'), ['A wells']);
  assert.deepEqual(found('A wells; A mills', 'A'), []);
  assert.deepEqual(found('A; A wells', 'A wells of the north'), []);
  assert.deepEqual(found('A; A wells', 'a WELLS'), ['A wells']);
  assert.deepEqual(found('Apple; Apricot', 'Ap'), []);
});

test('the name of a part has up to 100 characters, and a longer one says that it is cut', () => {
  const named = (name: string) => {
    const text = `IDEA: x\nParts: ${name}`;
    return readStepFacts({ id: idOf(0), prefix: 'IDEA', parentId: null, message: text, createdAt: '' })
      ?.parts;
  };
  assert.deepEqual(named('x'.repeat(100)), ['x'.repeat(100)]);
  assert.deepEqual(named('x'.repeat(101)), [`${'x'.repeat(99)}…`]);
});

const NAMES = ['a', 'b', 'c', 'b and more', 'a; c', 'd'];

/** @returns a thread of a few signers that is about its parts */
function randomThread(random: SeededRandom): Message[] {
  const pick = <One>(list: readonly One[]): One => list[random.below(list.length)]!;
  const messages: Message[] = [[pick([OPENER, OPENER, OPENER, NOBODY]), 'IDEA: x\nParts: a; b; c']];
  for (const key of [MEMBER, STRANGER]) messages.push([key, 'hello']);
  messages.push(TRUST);
  const results: number[] = [];
  const works: number[] = [];
  while (messages.length < 60) {
    const key = pick([OPENER, OPENER, MEMBER, MEMBER, MEMBER, STRANGER, OTHER, NOBODY]);
    const n = messages.length;
    const ends = pick(['', '', `\nEnds: ${idOf(pick([n, ...works]))}`, '\nEnds: none']);
    const due = pick(['', DUE, 'Next update by (UTC): 2026-03-02 00:40']);
    const corrects = pick(['', '', `\nCorrects: ${idOf(pick([n, ...results]))}`]);
    const kind = random.below(20);
    if (kind < 7) messages.push([key, `WORK: x\nPart: ${pick(NAMES)}\n${due}${ends}`]);
    else if (kind < 12)
      messages.push([
        key,
        `RESULT: y\n${pick(['', `Part: ${pick(NAMES)}`])}${corrects}${ends}${pick(['', '', TABLE])}`,
      ]);
    else if (kind < 19 && results.length > 0) {
      const outcomes = ['confirmed', 'not confirmed', 'not confirmed', 'partly confirmed', 'withdrawn'];
      messages.push([pick([OPENER, MEMBER, key]), reviewOf(pick(results.slice(-4)), pick(outcomes))]);
    } else messages.push([key, pick(['Parts: c; d', 'Parts: e', `Distrust: ${signerOf(MEMBER)}`, TRUST[1]])]);
    if (kind < 7) works.push(n);
    else if (kind < 12) results.push(n);
  }
  return messages;
}

test('parts stand in random threads as the sentences of the documentation say', () => {
  const seen = new Set<string>();
  for (const seed of firstOf(
    Array.from({ length: 200 }, (_, n) => n + 1),
    12,
  )) {
    const random = new SeededRandom(seed);
    const messages = randomThread(random);
    const held = messages.flatMap((_, n) => (n > 0 && random.below(12) === 0 ? [n] : []));
    const steps = stepsOfThread(messages, held);
    const { ideas } = boardOf(steps);
    for (const now of [30 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS + 40 * MINUTE_MS].map(
      (one) => THREAD_START + one,
    )) {
      const expected = workByHand(steps, now);
      for (const [id, idea] of ideas) {
        const parts = partsOf(idea, now).map(({ name, state, refuted, announced }) => ({
          name,
          state,
          refuted: refuted.map(({ step }) => step.id),
          announced: announced.map(({ step }) => step.id),
        }));
        assert.deepEqual(parts, expected.parts[id], `seed ${seed}`);
        assert.deepEqual(freeParts(idea, now), expected.freeParts[id], `seed ${seed}`);
        for (const { state, announced } of parts) seen.add(`${state}${announced.length > 0 ? ' +' : ''}`);
      }
    }
  }
  for (const state of ['confirmed', 'partlyConfirmed', 'toReview', 'underWay', 'refuted +', 'free +'])
    assert.ok(seen.has(state), `${state}: ${[...seen].join()}`);
});

test('an IDEA that reports hold adds no parts to the one that begins its thread', () => {
  const messages: Message[] = [IDEA, [OPENER, 'IDEA: another\nParts: d; e'], [OPENER, 'more\nParts: f']];
  const partsWith = (...held: number[]): readonly string[] => statesOf(messages, 0, held).idea.parts;
  assert.deepEqual(partsWith(), ['a', 'b', 'c', 'f']);
  assert.deepEqual(partsWith(1), ['a', 'b', 'c', 'f']);
  assert.deepEqual(partsWith(2), ['a', 'b', 'c', 'f']);
});

test('a second line that begins with "Parts:" in one message is text, as in "Parts: each by another agent."', () => {
  const [step] = stepsOfThread([[OPENER, 'IDEA: x\nParts: a; b\nParts: each by another agent. I take a.']]);
  assert.deepEqual(step?.parts, ['a', 'b']);
});
