import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDay, justBefore } from '#workspace/text/time.ts';

describe('a day', () => {
  for (const text of ['2026-01-31', '2024-02-29', '0000-01-01', '9999-12-31'])
    it(`${text} is one of the calendar`, () => {
      assert.ok(isDay(text));
    });

  for (const text of [
    ...['2026-02-30', '2026-13-01', '2026-00-10', '2026-1-1', '20260101', 'today', ''],
    ...['2026-01-01T00:00:00Z', '+2026-01-01'],
  ])
    it(`${JSON.stringify(text)} is none`, () => {
      assert.ok(!isDay(text));
    });
});

describe('one microsecond before', () => {
  for (const [at, before] of [
    ['2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00.000000Z'],
    ['2026-01-01T00:00:00.100000Z', '2026-01-01T00:00:00.099999Z'],
    ['2026-01-01T00:00:00.000000Z', '2025-12-31T23:59:59.999999Z'],
  ] as const)
    it(`${at} is ${before}`, () => {
      assert.equal(justBefore(at), before);
    });
});
