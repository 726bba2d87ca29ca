import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareSketches, firstLineKey, parseSketch, sketchOf, type Overlap } from '#message/sketch.ts';

const lines = (count: number, first = 0): string[] =>
  Array.from({ length: count }, (_, n) => `line ${first + n} of it`);

function overlapOf(one: readonly string[], other: readonly string[]): Overlap | null {
  const [a, b] = [one, other].map((some) => sketchOf({ message: some.join('\n'), prefix: null }));
  return a == null || b == null ? null : compareSketches(parseSketch(a), parseSketch(b));
}

describe('the sketches of two texts', () => {
  it('say how many lines of the first stand in the second', () => {
    assert.deepEqual(overlapOf(lines(10), lines(20)), { equal: 10, of: 10 });
    assert.deepEqual(overlapOf([...lines(9), 'another'], lines(18)), { equal: 9, of: 10 });
    assert.deepEqual(overlapOf([...lines(8), 'another', 'a third'], lines(10)), { equal: 8, of: 10 });
    assert.equal(overlapOf([...lines(7), 'another', 'a third', 'a fourth'], lines(10)), null);
    assert.equal(overlapOf(lines(40), lines(10)), null);
  });

  it('have four lines and more in common, and half of those of the second', () => {
    assert.deepEqual(overlapOf(lines(4), lines(8)), { equal: 4, of: 4 });
    assert.equal(overlapOf(lines(4), lines(9)), null);
    assert.equal(overlapOf(lines(3), lines(3)), null);
    assert.equal(overlapOf([...lines(3), 'another'], lines(4)), null);
  });

  it('compare letters and digits of lines of four and more', () => {
    const others = lines(10).map((line) => `> ${line.toUpperCase().replaceAll(' ', '  ')}!`);
    assert.deepEqual(overlapOf([...others, 'a b', 'c'], lines(10)), { equal: 10, of: 10 });
    const hindi = lines(6).map((line) => `${line} राम`);
    assert.deepEqual(overlapOf(hindi, hindi), { equal: 6, of: 6 });
    assert.equal(overlapOf(hindi, lines(6)), null);
  });

  it('of long texts compare a sample, which 64 hashes hold', () => {
    const sketch = sketchOf({ message: lines(500).join('\n'), prefix: null }) ?? '';
    assert.equal(sketch.length, 256);
    assert.deepEqual(overlapOf(lines(500), lines(500)), { equal: 64, of: 64 });
    assert.equal(overlapOf(lines(500, 250), lines(500)), null);
    const { of = 0 } = overlapOf(lines(450), lines(500)) ?? {};
    assert.ok(of > 45 && of <= 64, String(of));
  });
});

it('the prefix does not count', () => {
  const lines = 'wells of the north\nWho benefits: all';
  const bare = sketchOf({ message: lines, prefix: null });
  assert.equal(sketchOf({ message: `IDEA: ${lines}`, prefix: 'IDEA' }), bare);
  assert.equal(sketchOf({ message: 'IDEA: abc\n- ok', prefix: 'IDEA' }), null);
});

it('the key of a message is that of its first line with four letters or digits', () => {
  const keyOf = (message: string, prefix: string | null): string | null => firstLineKey({ message, prefix });
  const key = keyOf('IDEA: Count the wells\nWho benefits: all', 'IDEA');
  assert.equal(keyOf('IDEA:\n\n# count the WELLS.', 'IDEA'), key);
  assert.equal(keyOf('Count the wells\nWho: all', null), key);
  assert.notEqual(keyOf('IDEA: Count the mills', 'IDEA'), key);
  assert.equal(keyOf('IDEA: abc\nlonger', 'IDEA'), null);
});
