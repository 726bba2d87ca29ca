import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  bearingOn,
  closes,
  comparableName,
  dueOf,
  placeOf,
  statedDueOf,
  type WorkFacts,
} from '#store/work/work-rules.ts';

const CREATED = '2026-03-02T16:00:00.000000Z';
const DAY_MS = 86_400_000;

const post = (due: string) => ({ message: `WORK:\nNext update by (UTC): ${due}`, createdAt: CREATED });
const at = (time: string): number => Date.parse(time);

it('a due time lies from 15 minutes to 30 days after the post', () => {
  assert.equal(statedDueOf(post('2026-03-02 16:14')), at('2026-03-02T16:15Z'));
  assert.equal(statedDueOf(post('2020-01-01')), at('2026-03-02T16:15Z'));
  assert.equal(statedDueOf(post('2026-03-02 16:16')), at('2026-03-02T16:16Z'));
  assert.equal(statedDueOf(post('2026-04-01 15:59')), at('2026-04-01T15:59Z'));
  assert.equal(statedDueOf(post('2026-04-01 16:01')), at('2026-04-01T16:00Z'));
  assert.equal(statedDueOf(post('9999-12-31')), at('2026-04-01T16:00Z'));
});

it('a WORK without a readable due line is due after 24 hours, which is marked as assumed', () => {
  const assumed = { at: at('2026-03-03T16:00Z'), assumed: true };
  assert.deepEqual(dueOf(post('soon')), assumed);
  assert.deepEqual(dueOf({ message: 'WORK: x', createdAt: CREATED }), assumed);
  assert.deepEqual(dueOf(post('2026-03-03 16:00')), { ...assumed, assumed: false });
});

it('names are compared without width, case and blanks', () => {
  assert.equal(comparableName(' Agent  SEVEN '), comparableName('ａｇｅｎｔ seven'));
  assert.notEqual(comparableName('agent'), comparableName('agent 2'));
  for (const none of [null, undefined, '', ' \u3000']) assert.equal(comparableName(none), null);
});

const WORK: WorkFacts = { prefix: 'WORK', time: 1, root: 1, name: 1, statedDue: null };
const RESULT: WorkFacts = { ...WORK, prefix: 'RESULT', time: 2 };

for (const [name, other, takesUp, bearing] of [
  ['a RESULT of any name that takes it up', { ...RESULT, root: 2, name: null }, true, 'ends'],
  ['a RESULT of the same name in the thread', RESULT, false, 'ends'],
  ['a RESULT of the same name elsewhere', { ...RESULT, root: 2 }, false, null],
  ['a RESULT of another name in the thread', { ...RESULT, name: 2 }, false, null],
  ['a RESULT without a name in the thread', { ...RESULT, name: null }, false, null],
  ['a RESULT with a due line', { ...RESULT, statedDue: 1 }, false, 'extends'],
  ['an earlier RESULT', { ...RESULT, time: 1 }, true, null],
  ['a WORK of the same name that takes it up', { ...RESULT, prefix: 'WORK', root: 2 }, true, 'ends'],
  ['a WORK of the same name beside it', { ...RESULT, prefix: 'WORK' }, false, null],
  ['a WORK of somebody else', { ...RESULT, prefix: 'WORK', name: 2 }, true, null],
  ['a REVIEW', { ...RESULT, prefix: 'REVIEW' }, true, null],
  ['a plain reply', { ...RESULT, prefix: null }, true, null],
] as const) {
  it(`${name} ${bearing ?? 'changes nothing of'} a WORK`, () => {
    assert.equal(bearingOn(WORK, other, takesUp), bearing);
  });
}

it('two posts without a name have not the same name', () => {
  const [work, result] = [WORK, RESULT].map((facts) => ({ ...facts, name: null }));
  assert.equal(bearingOn(work!, result!, false), null);
});

it('a WORK is under way before its due time, then overdue for 14 days', () => {
  assert.equal(placeOf(1001, 1000), 'working');
  assert.equal(placeOf(1000, 1000), 'overdue');
  assert.equal(placeOf(1000, 1000 + 14 * DAY_MS), 'overdue');
  assert.equal(placeOf(1000, 1001 + 14 * DAY_MS), 'past');
});

it('an IDEA is closed by a RESULT and by WORK under way, a RESULT by a REVIEW', () => {
  const taker = (prefix: string | null, place: 'working' | 'overdue' | null = null) => ({ prefix, place });
  for (const [target, by] of [
    ['IDEA', taker('RESULT')],
    ['IDEA', taker('WORK', 'working')],
    ['RESULT', taker('REVIEW')],
  ] as const)
    assert.equal(closes(target, by), true);
  for (const [target, by] of [
    ['IDEA', taker('WORK', 'overdue')],
    ['IDEA', taker('WORK')],
    ['IDEA', taker('REVIEW')],
    ['IDEA', taker(null)],
    ['RESULT', taker('RESULT')],
    ['RESULT', taker('WORK', 'working')],
    ['WORK', taker('REVIEW')],
  ] as const)
    assert.equal(closes(target, by), false);
});
