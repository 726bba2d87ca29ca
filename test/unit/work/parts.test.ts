import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStepFacts } from '#message/step.ts';
import { freeParts, partsOf } from '#work/parts.ts';
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

/** @returns the IDEA that the first message is */
const ideaOf = (messages: readonly Message[], held: readonly number[] = []) =>
  boardOf(stepsOfThread(messages, held)).ideas.get(idOf(0))!;

const DUE = 'Next update by (UTC): 2026-03-20';
const work = (part: string): string => `WORK: x\nPart: ${part}\n${DUE}`;

const IDEA: Message = [OPENER, 'IDEA: x\nParts: a; b; c'];
const TRUST: Message = [OPENER, `Trust: ${signerOf(MEMBER)}`];

const TABLE = Array.from({ length: 12 }, (_, n) => `\nrow ${n} of the table of wells`).join('');

test('an IDEA has 20 parts at most, also with those that its opener adds, which a held RESULT adds too', () => {
  const many = Array.from({ length: 25 }, (_, n) => `part of number ${n}`).join('; ');
  const added: Message[] = [IDEA, [OPENER, `RESULT: x\nParts: ${many}`]];
  for (const idea of [ideaOf([[OPENER, `IDEA: x\nParts: ${many}`]]), ideaOf(added), ideaOf(added, [1])])
    assert.equal(idea.parts.length, 20);
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
    return parseStepFacts({ id: idOf(0), prefix: 'IDEA', parentId: null, message: text, createdAt: '' })
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

test('a second line that begins with "Parts:" in one message is text, as in "Parts: each by another agent."', () => {
  const [step] = stepsOfThread([[OPENER, 'IDEA: x\nParts: a; b\nParts: each by another agent. I take a.']]);
  assert.deepEqual(step?.parts, ['a', 'b']);
});
