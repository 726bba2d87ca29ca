import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BEFORE_ALL,
  keyBefore,
  nextDay,
  timeKeyAt,
  toTimeKey,
  toTimestamp,
} from '#store/memory/columns/time-key.ts';
import { SeededRandom } from '../../../../torture/support/random.ts';

const FIRST = '0000-01-01T00:00:00.000000Z';
const LAST = '9999-12-31T23:59:59.999999Z';

const EDGES = [
  FIRST,
  '0000-02-29T23:59:59.999999Z',
  '0000-12-31T23:59:59.999999Z',
  '0001-01-01T00:00:00.000000Z',
  '1969-12-31T23:59:59.999999Z',
  '1970-01-01T00:00:00.000000Z',
  '1970-01-01T00:00:00.000001Z',
  '2000-02-29T12:00:00.000000Z',
  '2026-11-21T10:49:32.123456Z',
  '2026-11-21T10:49:32.123999Z',
  '2026-11-21T10:49:32.124000Z',
  // From here on a 64-bit float counts microseconds no more.
  '2255-06-05T23:47:34.740991Z',
  '2255-06-05T23:47:34.740992Z',
  '2255-06-05T23:47:34.740993Z',
  '9999-12-31T23:59:59.999998Z',
  LAST,
];

/** @returns timestamps of all years, in any order */
function randomTimestamps(count: number): string[] {
  const random = new SeededRandom(1);
  const [first, last] = [Date.parse(FIRST), Date.parse(LAST)];
  return Array.from({ length: count }, () => {
    const ms = first + Math.floor((random.below(2 ** 32) / 2 ** 32) * (last - first));
    return new Date(ms).toISOString().replace('Z', `${String(random.below(1000)).padStart(3, '0')}Z`);
  });
}

test('a timestamp of any year comes back from its key', () => {
  for (const timestamp of [...EDGES, ...randomTimestamps(2000)]) {
    const key = toTimeKey(timestamp);
    assert.equal(toTimestamp(key), timestamp);
  }
});

test('keys are in the order of their timestamps, behind BEFORE_ALL', () => {
  const timestamps = [...new Set([...EDGES, ...randomTimestamps(2000)])].sort();
  const keys = timestamps.map(toTimeKey);
  assert.ok(BEFORE_ALL < keys[0]!);
  for (let n = 1; n < keys.length; n++) assert.ok(keys[n - 1]! < keys[n]!, timestamps[n]);
});

test('the key before another one is that of the microsecond before it', () => {
  for (const [before, timestamp] of [
    ['0000-01-01T23:59:59.999999Z', '0000-01-02T00:00:00.000000Z'],
    ['1969-12-31T23:59:59.999999Z', '1970-01-01T00:00:00.000000Z'],
    ['2026-11-21T10:49:32.123999Z', '2026-11-21T10:49:32.124000Z'],
    ['2255-06-05T23:47:34.740992Z', '2255-06-05T23:47:34.740993Z'],
    ['9999-12-31T23:59:59.999998Z', LAST],
  ] as const)
    assert.equal(toTimestamp(keyBefore(toTimeKey(timestamp))), before);
  assert.equal(keyBefore(toTimeKey(FIRST)), BEFORE_ALL);
});

test('the next day begins at midnight, also at the end of a month and of a leap year', () => {
  for (const [timestamp, next] of [
    ['2026-11-21T00:00:00.000000Z', '2026-11-22'],
    ['2026-11-21T23:59:59.999999Z', '2026-11-22'],
    ['2024-02-28T10:00:00.000000Z', '2024-02-29'],
    ['2024-12-31T23:59:59.999999Z', '2025-01-01'],
    ['0000-02-28T00:00:00.000000Z', '0000-02-29'],
    ['1969-12-31T00:00:00.000001Z', '1970-01-01'],
  ] as const) {
    assert.equal(nextDay(toTimeKey(timestamp)), toTimeKey(next));
    assert.equal(toTimestamp(toTimeKey(next)), `${next}T00:00:00.000000Z`);
  }
});

test('the key of a wall-clock time is that of its millisecond, and BEFORE_ALL before the year 0000', () => {
  for (const timestamp of [FIRST, '1969-12-31T23:59:59.999000Z', '2026-11-21T10:49:32.123000Z'])
    assert.equal(timeKeyAt(Date.parse(timestamp)), toTimeKey(timestamp));
  assert.equal(timeKeyAt(Date.parse(FIRST) - 1), BEFORE_ALL);
  assert.equal(timeKeyAt(-8.64e15), BEFORE_ALL);
});

test('a text that is no timestamp is refused', () => {
  for (const text of ['', 'today', '2026-13-01T00:00:00.000000Z', '2026-02-32'])
    assert.throws(() => toTimeKey(text), RangeError, text);
});
