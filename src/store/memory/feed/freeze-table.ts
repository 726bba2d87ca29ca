import { FrozenWordTable } from './frozen-word-table.ts';
import { bitsLength, setBit } from './posting-list.ts';
import type { WordTable } from './word-table.ts';

/** How many words or numbers are copied in one step, in well under a millisecond. */
const STEP = 16_384;

/**
 * Makes a table of the same content that takes less memory and cannot grow, in steps. The table may be read between two
 * steps, and must not change.
 * @param capacity of the segment
 */
export function* freezeTable(words: WordTable, capacity: number): Generator<undefined, FrozenWordTable> {
  const hashes = new Uint32Array(words.size);
  let count = 0;
  for (const hash of words.hashes()) {
    // The hashes come in the order of their slots, so each is near its place.
    let place = count++;
    for (; place > 0 && (hashes[place - 1] ?? 0) > hash; place--) hashes[place] = hashes[place - 1] ?? 0;
    hashes[place] = hash;
    if (count % STEP === 0) yield;
  }
  const bitmapLength = bitsLength(capacity);
  const starts = new Uint32Array(count + 1);
  for (const [index, hash] of hashes.entries()) {
    starts[index + 1] = (starts[index] ?? 0) + Math.min(words.numbersOf(hash).length, bitmapLength);
    if (index % STEP === 0) yield;
  }
  const numbers = new Uint16Array(starts[count] ?? 0);
  let copied = 0;
  for (const [index, hash] of hashes.entries()) {
    const own = words.numbersOf(hash);
    const range = numbers.subarray(starts[index], starts[index + 1]);
    if (own.length < bitmapLength) range.set(own);
    else for (const number of own) setBit(range, number);
    // A word of few numbers takes as long as some of them.
    copied += own.length + 16;
    if (copied < STEP) continue;
    copied = 0;
    yield;
  }
  return new FrozenWordTable(hashes, starts, numbers, bitmapLength);
}
