import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareTexts } from '#store/postgres/read/feed.ts';
import { TextBudget } from '#message/words.ts';
import type { CountedRecord } from '#store/port/records.ts';
import { aPost } from '../../../../support/store/records.ts';
import { countTurns } from '../../../../support/turns.ts';

const posts = (count: number, message: string): CountedRecord<'post'>[] =>
  Array.from({ length: count }, () => ({
    record: { ...aPost(message), createdAt: '2026-01-01T00:00:00.000000Z' },
    children: 0,
  }));

const LONG = 'a '.repeat(4000);

test('a search compares 1,000,000 characters, and other work goes on meanwhile', async (t) => {
  const turns = countTurns(t);
  const budget = new TextBudget();
  const first = await compareTexts(posts(20, LONG), 9, budget, ['b']);
  assert.deepEqual(first, { matching: [], compared: 20 });
  assert.equal(budget.isSpent, false);
  const second = await compareTexts(posts(200, LONG), 9, budget, ['b']);
  assert.deepEqual(second, { matching: [], compared: 105 });
  assert.equal(budget.isSpent, true);
  assert.ok(turns() >= 20, `${turns()} turns of the event loop`);
});
