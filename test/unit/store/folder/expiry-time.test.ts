import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiryTime } from '#store/folder/day-keys.ts';

const HOUR = 3_600_000;
const NEWEST = '2026-11-21T10:00:00.000000Z';
const newest = Date.parse(NEWEST);

test('keys expire by the wall clock while it is at most a day ahead of the log, and also if it is behind', () => {
  for (const offset of [0, 1, 24 * HOUR, -HOUR, -99 * 24 * HOUR])
    assert.equal(expiryTime(newest + offset, NEWEST), newest + offset);
});

test('keys expire by the newest timestamp of the log if the wall clock is more than a day ahead of it', () => {
  assert.equal(expiryTime(newest + 24 * HOUR + 1, NEWEST), newest);
  assert.equal(expiryTime(newest + 999 * 24 * HOUR, NEWEST), newest);
});

test('time that a process has seen pass since the newest timestamp counts as shown by the log', () => {
  assert.equal(expiryTime(newest + 48 * HOUR, NEWEST, 47 * HOUR), newest + 48 * HOUR);
  assert.equal(expiryTime(newest + 48 * HOUR, NEWEST, 23 * HOUR), newest + 23 * HOUR);
});

test('in an empty log nothing expires', () => {
  assert.equal(expiryTime(newest, null), 0);
});
