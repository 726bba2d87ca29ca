import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowPlaces } from '#store/jsonl/log/row-places.ts';

test('the places of many lines at once are those of the lines one by one', () => {
  const count = 10_000;
  const columns = {
    offsets: Float64Array.from({ length: count }, (_, n) => 2 ** 33 + n * 300),
    lengths: Int32Array.from({ length: count }, (_, n) => 200 + (n % 99)),
    signed: Uint8Array.from({ length: count }, (_, n) => n % 2),
  };
  for (const [first, from, to] of [
    [1, 0, count],
    [4095, 7, 8],
    [4095, 7, 9],
    [4096, 100, 4196],
    [9000, 3, 3],
  ] as const) {
    const [places, single] = [new RowPlaces(), new RowPlaces()];
    places.setAll(first, 3, columns, from, to);
    for (let index = from; index < to; index++)
      single.set(first + index - from, {
        log: 3,
        at: columns.offsets[index]!,
        length: columns.lengths[index]!,
        isSigned: columns.signed[index] === 1,
      });
    for (let seq = 0; seq < first + to - from + 2; seq++) assert.deepEqual(places.get(seq), single.get(seq));
  }
});
