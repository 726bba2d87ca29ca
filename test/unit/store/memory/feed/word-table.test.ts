import assert from 'node:assert/strict';
import { it } from 'node:test';
import { WordBuffer } from '#store/memory/feed/word-buffer.ts';
import type { PostingList, WordTable } from '#store/memory/feed/word-table.ts';

/** Hashes with the same upper or the same lower half, and the lowest and the highest ones. */
const hashOf = (word: number): number =>
  [word, 0xffff_ffff - word, word * 65_536, Math.imul(word, 2_654_435_761) >>> 0][word % 4]!;

const WORDS = 60;
/** A first difference takes two bytes, and so does the one between the first and the last post. */
const SLOTS = 500;

/** Words of every frequency, from all posts to one, some of which a post repeats. */
function fill(): { buffer: WordBuffer; lists: Map<number, Set<number>> } {
  const buffer = new WordBuffer();
  const lists = new Map<number, Set<number>>();
  for (let slot = 0; slot < SLOTS; slot++) {
    for (let word = 0; word < WORDS; word += 1 + ((word * (slot % 7)) >> 1)) {
      const hash = hashOf(word);
      buffer.add(hash, slot);
      if (word % 3 === 0) buffer.add(hash, slot);
      lists.set(hash, (lists.get(hash) ?? new Set()).add(slot));
    }
    const own = hashOf(WORDS + slot);
    buffer.add(own, slot);
    lists.set(own, (lists.get(own) ?? new Set()).add(slot));
  }
  return { buffer, lists };
}

/** @returns the slots of a list, the highest first. @param step how far below the last one the next is looked for */
function slotsIn(list: PostingList | undefined, step = 1): number[] {
  const slots: number[] = [];
  for (let slot = list?.floor(SLOTS - 1) ?? -1; slot >= 0; slot = slot < step ? -1 : list!.floor(slot - step))
    slots.push(slot);
  return slots;
}

type Words = Pick<WordBuffer | WordTable, 'find'>;

function assertHolds(words: Words, lists: Map<number, Set<number>>): void {
  for (const [hash, slots] of lists) assert.deepEqual(slotsIn(words.find(hash)), [...slots].reverse());
  assert.deepEqual(slotsIn(words.find(123_456_789)), []);
}

/** @returns the table, after a check of the buffer between the steps */
function pack(buffer: WordBuffer, lists: Map<number, Set<number>>): WordTable {
  const packing = buffer.pack();
  for (let steps = 1; ; steps++) {
    const { value } = packing.next();
    assert.equal(value !== undefined, steps === 3);
    if (value !== undefined) return value;
    assertHolds(buffer, lists);
  }
}

it('a buffer holds the slots of every word before, while and after it is packed', () => {
  const { buffer, lists } = fill();
  assertHolds(buffer, lists);
  const table = pack(buffer, lists);
  assertHolds(table, lists);
  assert.ok(table.bytes * 2 < buffer.bytes);
});

it('a list that is left out in part has the highest slot that is not above', () => {
  const { buffer, lists } = fill();
  const table = pack(buffer, lists);
  for (const step of [2, 100, 1000])
    for (const hash of lists.keys()) {
      const slots = [...lists.get(hash)!].reverse();
      const expected: number[] = [];
      for (const slot of slots) if (slot <= (expected.at(-1) ?? Infinity) - step) expected.push(slot);
      for (const words of [buffer, table]) assert.deepEqual(slotsIn(words.find(hash), step), expected);
    }
});
