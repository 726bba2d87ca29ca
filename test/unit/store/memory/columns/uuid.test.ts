import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUuidHash } from '#store/memory/columns/uuid.ts';

const COUNT = 2 ** 16;

for (const shift of [0, 8, 14, 28])
  test(`UUIDs whose words differ in four bits from bit ${shift} on get hashes that differ`, () => {
    const hash = createUuidHash();
    const found = new Set<number>();
    for (let index = 0; index < COUNT; index++) {
      const words = [0, 4, 8, 12].map((from) => ((index >>> from) & 15) << shift);
      // The places in a hash table of 131,072.
      found.add(hash(Int32Array.from(words)) & 0x1ffff);
    }
    // Of random hashes some 51,500 are different; sums of products with odd factors have 16.
    assert.ok(found.size > COUNT / 4, `${found.size} different hashes of ${COUNT}`);
  });
