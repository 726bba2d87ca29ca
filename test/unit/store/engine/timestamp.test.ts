import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextTimestamp } from '#store/engine/timestamp.ts';

const at = (text: string): number => Date.parse(text);

test('the next timestamp is the clock to the microsecond, or one microsecond after the last', () => {
  const now = at('2026-11-21T10:49:32.123Z');
  assert.equal(nextTimestamp(null, now), '2026-11-21T10:49:32.123000Z');
  assert.equal(nextTimestamp(null, now + 0.5), '2026-11-21T10:49:32.123500Z');
  assert.equal(nextTimestamp('2026-11-21T10:49:32.122999Z', now), '2026-11-21T10:49:32.123000Z');
  assert.equal(nextTimestamp('2026-11-21T10:49:32.123000Z', now), '2026-11-21T10:49:32.123001Z');
  assert.equal(nextTimestamp('2026-12-31T23:59:59.999999Z', now), '2027-01-01T00:00:00.000000Z');
});

test('timestamps rise by single microseconds also after the year 2255, where a number cannot hold them', () => {
  let last = '9998-12-31T23:59:59.999990Z';
  const seen = new Set([last]);
  for (let count = 0; count < 20; count++) {
    const next = nextTimestamp(last, 0);
    assert.ok(next > last && next.length === last.length, next);
    seen.add((last = next));
  }
  assert.equal(seen.size, 21);
  assert.equal(last, '9999-01-01T00:00:00.000010Z');
});

test('after the last timestamp of the year 9999 writes are refused in words', () => {
  assert.equal(nextTimestamp('9999-12-31T23:59:59.999998Z', 0), '9999-12-31T23:59:59.999999Z');
  assert.throws(() => nextTimestamp('9999-12-31T23:59:59.999999Z', 0), {
    name: 'StoreFailure',
    stored: 'nothing',
    message: /last possible timestamp, in the year 9999/,
  });
});

test('under a clock outside of the years 0000 to 9999 writes are refused in words', () => {
  assert.equal(nextTimestamp(null, at('9999-12-31T23:59:59.999Z')), '9999-12-31T23:59:59.999000Z');
  assert.equal(nextTimestamp(null, at('0000-01-01T00:00:00.000Z')), '0000-01-01T00:00:00.000000Z');
  for (const now of [at('9999-12-31T23:59:59.999Z') + 1, at('0000-01-01T00:00:00.000Z') - 1, NaN, 1e30])
    assert.throws(() => nextTimestamp(null, now), { name: 'StoreFailure', message: /years 0000 to 9999/ });
});
