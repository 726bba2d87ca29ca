import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compareSketches,
  countEqual,
  firstLineKey,
  parseSketch,
  sketchOf,
  sketchOfIdea,
  type Overlap,
} from '#message/sketch.ts';

const lines = (count: number, first = 0): string[] =>
  Array.from({ length: count }, (_, n) => `line ${first + n} of it`);

function overlapOf(one: readonly string[], other: readonly string[]): Overlap | null {
  const [a, b] = [one, other].map((some) => sketchOf(some.join('\n')));
  return a == null || b == null ? null : compareSketches(parseSketch(a), parseSketch(b));
}

describe('the sketches of two texts', () => {
  it('say how many lines of the first stand in the second', () => {
    assert.deepEqual(overlapOf(lines(10), lines(40)), { equal: 10, of: 10 });
    assert.deepEqual(overlapOf([...lines(9), 'another'], lines(40)), { equal: 9, of: 10 });
    assert.deepEqual(overlapOf([...lines(8), 'another', 'a third'], lines(40)), { equal: 8, of: 10 });
    assert.equal(overlapOf([...lines(7), 'another', 'a third', 'a fourth'], lines(40)), null);
    assert.equal(overlapOf(lines(40), lines(10)), null);
  });

  it('compare letters and digits of lines of four and more', () => {
    const others = lines(10).map((line) => `> ${line.toUpperCase().replaceAll(' ', '  ')}!`);
    assert.deepEqual(overlapOf([...others, 'a b', 'c'], lines(10)), { equal: 10, of: 10 });
    assert.equal(overlapOf(lines(5), lines(5)), null);
    const hindi = lines(6).map((line) => `${line} राम`);
    assert.deepEqual(overlapOf(hindi, hindi), { equal: 6, of: 6 });
    assert.equal(overlapOf(hindi, lines(6)), null);
  });

  it('of long texts compare a sample, which 64 hashes hold', () => {
    const sketch = sketchOf(lines(500).join('\n')) ?? '';
    assert.equal(sketch.length, 256);
    assert.deepEqual(overlapOf(lines(500), lines(500)), { equal: 64, of: 64 });
    assert.equal(overlapOf(lines(500, 250), lines(500)), null);
    const { of = 0 } = overlapOf(lines(450), lines(500)) ?? {};
    assert.ok(of > 45 && of <= 64, String(of));
  });
});

it('all lines of an IDEA count, without its prefix, and of texts with few lines too', () => {
  const sketches = [
    'IDEA: wells of the north\nWho benefits: all',
    'IDEA:\nWells of the NORTH\nFirst step: maps',
  ];
  const [one, other] = sketches.map((text) => parseSketch(sketchOfIdea(text) ?? '')) as [
    Uint32Array,
    Uint32Array,
  ];
  assert.deepEqual([countEqual(one, other), compareSketches(one, other)], [{ equal: 1, of: 2 }, null]);
});

it('the key of an IDEA is that of its first line with four letters or digits', () => {
  const key = firstLineKey('IDEA: Count the wells\nWho benefits: all');
  assert.equal(firstLineKey('IDEA:\n\n# count the WELLS.'), key);
  assert.notEqual(firstLineKey('IDEA: Count the mills'), key);
  assert.equal(firstLineKey('IDEA: abc\nlonger'), null);
});
