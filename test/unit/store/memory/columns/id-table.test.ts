import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdTable } from '#store/memory/columns/id-table.ts';
import { NONE } from '#store/memory/columns/column.ts';
import { SeededRandom } from '../../../../torture/support/random.ts';

const UUID = '019c9a31-64ff-7000-8000-0000deadbeef';

/** Ids that look alike: each has a number of its own. */
const ALIKE = [
  `post_${UUID}`,
  `guest_${UUID}`,
  `project_${UUID}`,
  `note_${UUID}`,
  `post_${UUID.toUpperCase()}`,
  `post_${UUID.replace('f', 'F')}`,
  `Post_${UUID}`,
  `other_${UUID}`,
  `post-${UUID}`,
  `_${UUID}`,
  UUID,
  `post_${UUID}0`,
  `post_0${UUID}`,
  `post_ ${UUID}`,
  `post_${UUID.slice(1)}`,
  `post_${UUID.replaceAll('-', '')}`,
  `post_${UUID.replace('-', '0')}`,
  `post_${UUID.replace('f', 'g')}`,
  `post_${UUID.replace('f', '/')}`,
  `post_${UUID.replace('f', ':')}`,
  `post_${UUID.replace('f', String.fromCharCode(0x60))}`,
  `post_${UUID.replace('f', 'Ć')}`,
  `post_${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`,
  `post_${'f'.repeat(8)}-ffff-ffff-ffff-${'f'.repeat(12)}`,
  'post_abc',
  'post_',
  'post',
  '_',
  '',
];

test('ids that look alike have numbers of their own, dense from 0, and come back from them', () => {
  const table = new IdTable();
  const numbers = ALIKE.map((id) => table.reserve(id));
  assert.deepEqual(numbers, [...ALIKE.keys()]);
  assert.equal(table.size, ALIKE.length);
  for (const [number, id] of ALIKE.entries()) {
    assert.equal(table.find(id), number, id);
    assert.equal(table.reserve(id), number, id);
    assert.equal(table.idOf(number), id);
  }
});

test('an id without a number is not found, and looking for it gives it none', () => {
  const table = new IdTable();
  for (const id of ALIKE) assert.equal(table.find(id), NONE, id);
  assert.equal(table.size, 0);
  table.reserve(`post_${UUID}`);
  assert.equal(table.find(`guest_${UUID}`), NONE);
});

test('only an id of a kind and a UUID in lower case has a kind and a code of it', () => {
  const table = new IdTable();
  for (const id of ALIKE) {
    const number = table.reserve(id);
    const kind = /^(post|guest|project|note)_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(id)?.[1];
    assert.equal(table.kindOf(number), kind, id);
    assert.equal(table.kindCodeOf(number) > 0, kind !== undefined, id);
  }
});

test('an id that is reserved by the parts of another table is the same', () => {
  const [from, to] = [new IdTable(), new IdTable()];
  const ids = ALIKE.filter((id) => from.kindCodeOf(from.reserve(id)) > 0);
  to.reserve('post_abc');
  for (const [index, id] of ids.entries()) {
    const number = from.find(id);
    const words = new Int32Array(6).fill(7);
    from.copyUuid(number, words, 2);
    assert.equal(to.reserveUuid(from.kindCodeOf(number), words, 2), index + 1);
    assert.equal(to.reserveUuid(from.kindCodeOf(number), words, 2), index + 1);
    assert.equal(to.idOf(index + 1), id);
    assert.equal(to.find(id), index + 1);
  }
});

test('all ids are found however often the table has grown, and whatever size was expected', () => {
  const random = new SeededRandom(3);
  const hex = (digits: number): string =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  const ids = Array.from({ length: 9000 }, (_, n) =>
    n % 3 === 0
      ? `post_${n}`
      : `${n % 2 === 0 ? 'post' : 'note'}_${hex(8)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`,
  );
  for (const expected of [0, 1, 5000, 100_000]) {
    const table = new IdTable(expected);
    for (const [number, id] of ids.entries()) assert.equal(table.reserve(id), number);
    for (const [number, id] of ids.entries()) {
      assert.equal(table.find(id), number);
      assert.equal(table.idOf(number), id);
    }
    assert.equal(table.size, ids.length);
  }
});
