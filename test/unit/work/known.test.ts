import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decidedSince, type Vote } from '#work/votes.ts';

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
