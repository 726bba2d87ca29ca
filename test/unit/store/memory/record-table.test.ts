import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NONE } from '#store/memory/columns/column.ts';
import { BEFORE_ALL, toTimeKey } from '#store/memory/columns/time-key.ts';
import { RecordTable, type RecordHead } from '#store/memory/record-table.ts';

const TIME = toTimeKey('2026-11-21T10:49:32.123456Z');

const head = (line: number, given: Partial<RecordHead> = {}): RecordHead => ({
  line,
  time: TIME,
  parent: NONE,
  root: NONE,
  prefix: null,
  ...given,
});

const moderation = (action: 'hide' | 'unhide', second: number) => ({
  action,
  at: `2026-11-21T10:00:0${second}.000000Z`,
});

test('an id that a record names has its number before the record arrives', () => {
  const table = new RecordTable(0);
  const [post, parent] = [table.ids.reserve('post_a'), table.ids.reserve('post_b')];
  table.arrive(post, head(7, { parent, root: parent, prefix: 'IDEA' }));
  assert.equal(table.ids.reserve('post_b'), parent);
  assert.deepEqual(
    [table.lineOf(post), table.numberAt(7), table.timeOf(post), table.prefixOf(post)],
    [7, post, TIME, 'IDEA'],
  );
  assert.deepEqual([table.parentOf(post), table.rootOf(post), table.kindOf(post)], [parent, parent, 'post']);
  assert.deepEqual(
    [table.isThere(parent), table.lineOf(parent), table.timeOf(parent), table.prefixOf(parent)],
    [false, NONE, BEFORE_ALL, null],
  );
});

test('NONE is no record, and a line that added none has none', () => {
  const table = new RecordTable(0);
  assert.deepEqual([table.isThere(NONE), table.isVisible(NONE), table.isErased(NONE)], [false, false, false]);
  assert.deepEqual([table.numberAt(0), table.numberAt(5), table.numberAt(-5)], [NONE, NONE, NONE]);
  assert.deepEqual([table.parentOf(NONE), table.rootOf(NONE), table.prefixOf(NONE)], [NONE, NONE, null]);
});

test('the latest moderation decides, also if it comes before the record', () => {
  const table = new RecordTable(0);
  const number = table.ids.reserve('post_a');
  assert.equal(table.moderate(number, moderation('hide', 5)), true);
  assert.equal(table.moderate(number, moderation('unhide', 3)), false);
  table.arrive(number, head(1, { prefix: 'WORK' }));
  assert.deepEqual(
    [table.isThere(number), table.isVisible(number), table.isHidden(number)],
    [true, false, true],
  );
  assert.equal(table.moderate(number, moderation('unhide', 7)), true);
  assert.deepEqual([table.isVisible(number), table.prefixOf(number)], [true, 'WORK']);
});

test('an erased record leaves its number, its line and its time', () => {
  const table = new RecordTable(0);
  const number = table.ids.reserve('post_a');
  table.arrive(number, head(3, { prefix: 'IDEA' }));
  table.erase(number);
  assert.deepEqual(
    [table.isThere(number), table.isVisible(number), table.isErased(number)],
    [false, false, true],
  );
  assert.deepEqual([table.lineOf(number), table.numberAt(3), table.timeOf(number)], [3, number, TIME]);
  assert.equal(table.prefixOf(number), null);
  const other = table.ids.reserve('post_b');
  table.erase(other, 9);
  assert.deepEqual([table.lineOf(other), table.numberAt(9), table.isErased(other)], [9, other, true]);
});

test('any number of prefixes stands beside what is known of a record', () => {
  const table = new RecordTable(0);
  const prefixes = Array.from({ length: 300 }, (_, n) => (n === 100 ? null : `P${n}`));
  for (const [n, prefix] of prefixes.entries()) {
    const number = table.ids.reserve(`post_${n}`);
    if (n % 3 === 0) table.moderate(number, moderation('hide', 1));
    table.arrive(number, head(n, { prefix }));
  }
  for (const [n, prefix] of prefixes.entries()) {
    const number = table.ids.find(`post_${n}`);
    assert.equal(table.prefixOf(number), prefix);
    assert.equal(table.isVisible(number), n % 3 !== 0);
  }
});
