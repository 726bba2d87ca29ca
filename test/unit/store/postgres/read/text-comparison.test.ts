import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextComparison } from '#store/postgres/read/text-comparison.ts';
import type { RecordView } from '#store/port/records.ts';
import { aPost } from '../../../../support/store/records.ts';

const posts = (count: number, message: string): RecordView<'post'>[] =>
  Array.from({ length: count }, () => ({
    record: { ...aPost(message), createdAt: '2026-01-01T00:00:00.000000Z' },
    children: 0,
  }));

const LONG = 'a '.repeat(4000);

test('a search compares 1,000,000 characters, and other work goes on meanwhile', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const comparison = new TextComparison(['b']);
  const first = await comparison.compare(posts(20, LONG), 9);
  assert.deepEqual(first, { matching: [], compared: 20 });
  assert.equal(comparison.isExhausted, false);
  const second = await comparison.compare(posts(200, LONG), 9);
  assert.deepEqual(second, { matching: [], compared: 105 });
  assert.equal(comparison.isExhausted, true);
  isOver = true;
  assert.ok(turns >= 20, `${turns} turns of the event loop`);
});

test('candidates behind the last one of the page are not compared', async () => {
  const candidates = [...posts(2, 'an oak'), ...posts(1, 'an elm'), ...posts(3, 'an oak')];
  const { matching, compared } = await new TextComparison(['oak']).compare(candidates, 3);
  assert.deepEqual(matching, [candidates[0], candidates[1], candidates[3]]);
  assert.equal(compared, 4);
});

test('without words every candidate matches, however long', async () => {
  const candidates = posts(60, LONG);
  const { matching, compared } = await new TextComparison([]).compare(candidates, 99);
  assert.equal(matching.length, 60);
  assert.equal(compared, 60);
});
