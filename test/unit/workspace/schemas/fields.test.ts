import assert from 'node:assert/strict';
import test from 'node:test';
import { limitField } from '#workspace/schemas/fields.ts';

test('whatever is wrong with a limit is one error', () => {
  for (const value of [1e308, -1e308, 2 ** 53, 1.5, 0, 101, '5', {}, [], true, Number.NaN]) {
    const { error } = limitField(100).safeParse(value);
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      ['must be one whole number from 1 to 100'],
      JSON.stringify(value),
    );
  }
  assert.equal(limitField(100).parse(100), 100);
});
