import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SortedList } from '#store/engine/sorted-list.ts';

interface Item {
  readonly key: number;
  readonly n: number;
}

const keyOf = ({ key }: Item): number => key;

/** More than a few chunks. */
const ITEMS = 5000;

/** A sorted list beside an array that is sorted anew, which is what it must be equal to. */
class Pair {
  readonly list = new SortedList<Item, number>(keyOf);
  items: Item[] = [];

  add(key: number): void {
    const item = { key, n: this.items.length };
    this.list.add(item);
    this.items.push(item);
  }

  sort(): Item[] {
    return (this.items = this.items.toSorted((a, b) => a.key - b.key));
  }

  /** Compares every method with the array. */
  check(): void {
    const sorted = this.sort();
    assert.equal(this.list.size, sorted.length);
    assert.deepEqual(this.list.oldest(Infinity), sorted);
    assert.deepEqual(this.list.newest(Infinity), sorted.toReversed());
    for (const [limit, after, before] of ranges(sorted)) {
      const within = sorted.filter(({ key }) => key > (after ?? -1) && key < (before ?? Infinity));
      assert.deepEqual(this.list.oldest(limit, before, after), within.slice(0, limit));
      assert.deepEqual(this.list.newest(limit, before, after), within.toReversed().slice(0, limit));
    }
    const key = sorted[sorted.length >> 1]?.key ?? 0;
    assert.deepEqual(
      this.list.at(key),
      sorted.filter((item) => item.key === key),
    );
  }
}

function ranges(sorted: readonly Item[]): [limit: number, after?: number, before?: number][] {
  const keyAt = (share: number): number => sorted[Math.floor(sorted.length * share)]?.key ?? 0;
  return [
    [0],
    [1],
    [50],
    [50, keyAt(0.3)],
    [50, keyAt(0), keyAt(0.7)],
    [3000, keyAt(0.2), keyAt(0.9)],
    [50, keyAt(0.6), keyAt(0.4)],
  ];
}

/** Every key below `ITEMS` once, in an order that jumps. */
const jumping = (n: number): number => (n * 2111) % ITEMS;

const ORDERS: Readonly<Record<string, (n: number) => number>> = {
  ascending: (n) => n,
  descending: (n) => ITEMS - n,
  'ascending, before those of the first half': (n) => (n + ITEMS / 2) % ITEMS,
  jumping,
  'equal in part': (n) => jumping(n) >> 4,
  'all equal': () => 7,
};

for (const [name, keyAt] of Object.entries(ORDERS)) {
  test(`a list to which keys are added in the order "${name}" equals a sorted array`, () => {
    const pair = new Pair();
    pair.check();
    for (let n = 0; n < ITEMS; n++) pair.add(keyAt(n));
    pair.check();
  });

  test(`a list from which items are removed in the order "${name}" equals a sorted array`, () => {
    const pair = new Pair();
    for (let n = 0; n < ITEMS; n++) pair.add(keyAt(n));
    const items = pair.items;
    for (let n = 0; n < ITEMS - 40; n++) pair.list.remove(items[jumping(n)]!);
    pair.items = Array.from({ length: 40 }, (_, n) => items[jumping(ITEMS - 40 + n)]!).toSorted(
      (a, b) => a.n - b.n,
    );
    pair.check();
    for (const item of pair.items.splice(0)) pair.list.remove(item);
    pair.check();
    pair.add(3);
    pair.add(1);
    pair.check();
  });
}

test('removeBefore removes and returns the items with a lower key, up to all of them', () => {
  const pair = new Pair();
  for (let n = 0; n < ITEMS; n++) pair.add(jumping(n));
  for (const key of [-1, 10, 2048, ITEMS + 1]) {
    const lower = pair.sort().filter((item) => item.key < key);
    assert.deepEqual(pair.list.removeBefore(key), lower);
    pair.items = pair.items.filter((item) => item.key >= key);
    pair.check();
  }
  pair.add(5);
  pair.check();
});

test('remove ignores an equal object that the list does not hold', () => {
  const pair = new Pair();
  for (let n = 0; n < ITEMS; n++) pair.add(7);
  pair.list.remove({ key: 7, n: 3 });
  pair.list.remove({ key: 8, n: 3 });
  pair.check();
});
