import assert from 'node:assert/strict';
import test from 'node:test';
import type { DayCount } from '#store/port/pages.ts';
import type { Reader } from '#store/port/store.ts';
import { Calendar } from '#workspace/reading/calendar.ts';

const RANGE = { from: '2026-01-01', until: '2026-02-01' };

/** @returns a calendar over a store with one day, and how often the store has counted */
function setUp(posts: number) {
  const state = { now: 0, reads: 0, failing: false };
  const dayCounts = async (): Promise<DayCount[]> => {
    state.reads += 1;
    if (state.failing) throw new Error('the store fails');
    return [{ day: '2026-01-05', byPrefix: { IDEA: posts } }];
  };
  const calendar = new Calendar({ dayCounts } as unknown as Reader, () => state.now);
  return { calendar, state };
}

test('the counts of few posts are made anew each time', async () => {
  const { calendar, state } = setUp(19_999);
  await calendar.counts(RANGE);
  await calendar.counts(RANGE);
  assert.equal(state.reads, 2);
});

test('the counts of many posts are held for a minute, and reads at the same time share one', async () => {
  const { calendar, state } = setUp(20_000);
  await Promise.all([calendar.counts(RANGE), calendar.counts(RANGE)]);
  state.now = 59_999;
  await calendar.counts(RANGE);
  assert.equal(state.reads, 1);
  state.now = 60_000;
  await calendar.counts(RANGE);
  assert.equal(state.reads, 2);
});

test('counts are made anew where the clock was set back', async () => {
  const { calendar, state } = setUp(20_000);
  state.now = 10;
  await calendar.counts(RANGE);
  state.now = 9;
  await calendar.counts(RANGE);
  assert.equal(state.reads, 2);
});

test('a failure is not held', async () => {
  const { calendar, state } = setUp(20_000);
  state.failing = true;
  await assert.rejects(calendar.counts(RANGE));
  state.failing = false;
  assert.equal((await calendar.counts(RANGE)).length, 1);
});

test('a bounded number of ranges is held', async () => {
  const { calendar, state } = setUp(20_000);
  for (let year = 2000; year < 2017; year++) await calendar.counts({ from: `${year}`, until: `${year + 1}` });
  await calendar.counts({ from: '2016', until: '2017' });
  assert.equal(state.reads, 17);
  await calendar.counts({ from: '2000', until: '2001' });
  assert.equal(state.reads, 18);
});
