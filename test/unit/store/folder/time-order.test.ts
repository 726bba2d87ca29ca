import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withElement, withoutElement, type Timed } from '#store/folder/time-order.ts';

const timed = (second: number): Timed => ({ createdAt: `2026-11-21T10:49:0${second}.000000Z` });

test('an element that is not there is taken from no list', () => {
  const list = [timed(1), timed(2)];
  assert.equal(withoutElement(list, timed(1)), list);
});

test('a short list is copied, since an array that was pushed to keeps room for more', () => {
  const short: Timed[] = [];
  assert.notEqual(withElement(short, timed(0)), short);
  assert.deepEqual(short, []);
});
