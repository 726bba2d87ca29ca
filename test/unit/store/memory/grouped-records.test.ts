import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GroupedRecords } from '#store/memory/grouped-records.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

/** A group whose records stand at the even times, and how often their times were asked for. */
function createGroup(count: number): { records: GroupedRecords; reads: () => number } {
  let reads = 0;
  const records = new GroupedRecords((record) => {
    reads += 1;
    return record * 2;
  });
  for (let record = 0; record < count; record++) records.update(0, record, 1);
  return {
    records,
    reads: () => {
      const since = reads;
      reads = 0;
      return since;
    },
  };
}

for (const count of [20, 1000]) {
  it(`a page of a group of ${count} starts at any time, whether a record stands there or not`, () => {
    const { records } = createGroup(count);
    const all = Array.from({ length: count }, (_, record) => record);
    for (const time of [-1, 0, 1, 2, count - 1, count, count + 1, 2 * count - 3, 2 * count - 2, 9 * count]) {
      const later = all.filter((record) => record * 2 > time);
      assert.deepEqual(records.page(0, { order: 'oldest', after: time, limit: 3 }), later.slice(0, 3));
      assert.deepEqual([...records.recordsAfter(0, time)], later);
      const earlier = all.filter((record) => record * 2 < time).reverse();
      assert.deepEqual(records.page(0, { order: 'newest', before: time, limit: 3 }), earlier.slice(0, 3));
    }
    const range = { order: 'newest', after: 6, before: 14, limit: 9 } as const;
    assert.deepEqual(records.page(0, range), [6, 5, 4]);
    assert.deepEqual(records.page(1, { order: 'oldest', after: 1, limit: 3 }), []);
  });
}

it('what a page of a long group costs does not depend on its length', () => {
  const { records, reads } = createGroup(100_000);
  for (const time of [5, 99_999, 199_995]) {
    reads();
    records.page(0, { order: 'oldest', after: time, limit: 3 });
    records.page(0, { order: 'newest', before: time, limit: 3 });
    records.page(0, { order: 'oldest', limit: 3 });
    assert.ok(reads() < 100);
  }
});

it('groups hold their records in order, of one timestamp in the order of arrival, whatever becomes hidden', () => {
  const random = new SeededRandom(20261122);
  const times = Array.from({ length: 3000 }, () => random.below(300));
  const records = new GroupedRecords((record) => times[record]!);
  const expected: number[][] = [[], [], []];
  for (let record = 0; record < times.length; record++) {
    const group = random.below(random.below(2) === 0 ? 1 : expected.length);
    records.update(group, record, 1);
    const own = expected[group]!;
    const place = own.findIndex((other) => times[record]! < times[other]!);
    own.splice(place < 0 ? own.length : place, 0, record);
    if (random.below(4) > 0) continue;
    const [hidden] = own.splice(random.below(own.length), 1);
    records.update(group, hidden!, -1);
  }
  for (const [group, own] of expected.entries()) {
    assert.equal(records.size(group), own.length);
    assert.equal(records.last(group), own.at(-1));
    assert.deepEqual(records.page(group, { order: 'oldest', limit: Infinity }), own);
    assert.deepEqual([...records.recordsAfter(group, -1)], own);
    assert.deepEqual(records.page(group, { order: 'newest', limit: Infinity }), [...own].reverse());
  }
});
