import assert from 'node:assert/strict';
import { it } from 'node:test';
import { freezeTable } from '#store/memory/feed/freeze-table.ts';
import type { FrozenWordTable } from '#store/memory/feed/frozen-word-table.ts';
import { WordTable } from '#store/memory/feed/word-table.ts';

const CAPACITY = 4096;

type Table = Pick<WordTable, 'get' | 'removeNumbers'>;

/** @returns the frozen table, and how many steps it took */
function freeze(table: WordTable): { frozen: FrozenWordTable; steps: number } {
  const freezing = freezeTable(table, CAPACITY);
  for (let steps = 1; ; steps++) {
    const { done, value } = freezing.next();
    if (done === true) return { frozen: value, steps };
  }
}

function numbersIn(table: Table, hash: number): number[] {
  const list = table.get(hash);
  const found: number[] = [];
  if (list === undefined) return found;
  for (let number = list.floor(CAPACITY - 1); number >= 0; number = list.floor(number - 1))
    found.unshift(number);
  return found;
}

/** Hashes of which many want the same slot, the last slots too. */
const hashOf = (word: number): number =>
  [word, 0xffff_ffff - word, Math.imul(word, 2_654_435_761) >>> 0][word % 3]!;

/** Words of every frequency, from all posts to one. */
function fill(words: number): { table: WordTable; lists: Map<number, Set<number>> } {
  const table = new WordTable();
  const lists = new Map<number, Set<number>>();
  for (let number = 0; number < CAPACITY; number++) {
    for (let word = number % 3; word < words; word += 1 + ((word * (number % 7)) >> 1)) {
      const hash = hashOf(word);
      table.add(hash, number);
      table.add(hash, number);
      lists.set(hash, (lists.get(hash) ?? new Set()).add(number));
    }
    const own = hashOf(words + number);
    table.add(own, number);
    lists.set(own, new Set([number]));
  }
  return { table, lists };
}

function assertHolds(table: Table, lists: Map<number, Set<number>>): void {
  for (const [hash, numbers] of lists) assert.deepEqual(numbersIn(table, hash), [...numbers]);
}

it('a table holds the numbers of every word before and after it is frozen', () => {
  const { table, lists } = fill(50);
  const { frozen, steps } = freeze(table);
  assert.equal(table.size, lists.size);
  assert.ok(steps > 3);
  for (const one of [table, frozen]) {
    assertHolds(one, lists);
    assert.equal(one.get(123_456_789), undefined);
  }
});

it('posts that are removed leave every word, and a word that no other post has leaves the table', () => {
  const { table, lists } = fill(50);
  const { frozen } = freeze(table);
  // In an order that takes some neighbours before and some after each other.
  for (let count = 0, step = 1; count < CAPACITY - 10; count += step, step = Math.min(step + 7, 600)) {
    const from = Math.min(count, CAPACITY - 10 - step);
    const unwanted = new Set(Array.from({ length: step }, (_, n) => ((from + n) * 1237) % CAPACITY));
    for (const numbers of lists.values()) for (const number of unwanted) numbers.delete(number);
    for (const one of [table, table, frozen]) one.removeNumbers(unwanted);
    assertHolds(table, lists);
    assertHolds(frozen, lists);
  }
  assertHolds(table, lists);
  assertHolds(frozen, lists);
  for (const [hash, numbers] of lists) assert.equal(table.get(hash) === undefined, numbers.size === 0);
  assertHolds(freeze(table).frozen, lists);
  for (let hash = 0; hash < 100; hash++) table.add(hash, CAPACITY - 1);
  for (let hash = 0; hash < 100; hash++) assert.equal(numbersIn(table, hash).at(-1), CAPACITY - 1);
});
