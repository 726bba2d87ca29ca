import { LOOKUP_COST, WordTable, type PostingList } from './word-table.ts';

const MIN_LENGTH = 256;

/** A digit of the radix sort is half of a hash. */
const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;
const LAST_DIGIT = DIGITS - 1;

/**
 * The words of a block that takes posts, in the order of the posts: a hash table of chains, one for each
 * lower half of a hash. So its growth moves no word.
 */
export class WordBuffer {
  // Index 0 holds no word.
  #hashes = new Uint32Array(MIN_LENGTH);
  #slots = new Uint16Array(MIN_LENGTH);
  /** The index of the word before it in its chain; 0 for the first one. */
  #earlier = new Uint32Array(MIN_LENGTH);
  /** By chain, the index of its last word; 0 if there is none. */
  readonly #last = new Uint32Array(DIGITS);
  #end = 1;

  get size(): number {
    return this.#end - 1;
  }

  get bytes(): number {
    const { byteLength } = this.#hashes;
    return byteLength + this.#slots.byteLength + this.#earlier.byteLength + this.#last.byteLength;
  }

  /** @param slot not below those before */
  add(hash: number, slot: number): void {
    const chain = hash & LAST_DIGIT;
    const last = this.#last[chain] ?? 0;
    // Leaves out most words that a post repeats.
    if (last !== 0 && this.#hashes[last] === hash && this.#slots[last] === slot) return;
    if (this.#end === this.#hashes.length) this.#grow();
    this.#hashes[this.#end] = hash;
    this.#slots[this.#end] = slot;
    this.#earlier[this.#end] = last;
    this.#last[chain] = this.#end++;
  }

  find(hash: number): PostingList {
    const last = this.#last[hash & LAST_DIGIT] ?? 0;
    return new ChainList(hash, last, this.#hashes, this.#slots, this.#earlier);
  }

  /**
   * Makes a table of the same words, in steps of some 10 ms for 524,288 words. The buffer may be searched
   * between two steps, and must not change.
   */
  *pack(): Generator<undefined, WordTable> {
    const hashes = this.#hashes.subarray(1, this.#end);
    const slots = this.#slots.subarray(1, this.#end);
    const byLowerHalf = sortByDigit(hashes, slots, 0);
    yield;
    const byHash = sortByDigit(...byLowerHalf, DIGIT_BITS);
    yield;
    return new WordTable(...byHash);
  }

  #grow(): void {
    const [hashes, slots, earlier] = [this.#hashes, this.#slots, this.#earlier];
    const length = hashes.length * 2;
    this.#hashes = new Uint32Array(length);
    this.#hashes.set(hashes);
    this.#slots = new Uint16Array(length);
    this.#slots.set(slots);
    this.#earlier = new Uint32Array(length);
    this.#earlier.set(earlier);
  }
}

class ChainList implements PostingList {
  /** Chains are short, and all lists together are no longer than the buffer. */
  readonly cost = LOOKUP_COST;
  readonly #hash: number;
  #at: number;
  readonly #hashes: Uint32Array;
  readonly #slots: Uint16Array;
  readonly #earlier: Uint32Array;

  constructor(hash: number, last: number, hashes: Uint32Array, slots: Uint16Array, earlier: Uint32Array) {
    this.#hash = hash;
    this.#at = last;
    this.#hashes = hashes;
    this.#slots = slots;
    this.#earlier = earlier;
  }

  floor(from: number): number {
    for (; this.#at !== 0; this.#at = this.#earlier[this.#at] ?? 0) {
      const slot = this.#slots[this.#at] ?? 0;
      if (slot <= from && this.#hashes[this.#at] === this.#hash) return slot;
    }
    return -1;
  }
}

/** A pass of a radix sort, which keeps the order of equal digits. @param shift of the digit */
function sortByDigit(hashes: Uint32Array, slots: Uint16Array, shift: number): [Uint32Array, Uint16Array] {
  const { length } = hashes;
  const places = new Uint32Array(DIGITS + 1);
  for (let at = 0; at < length; at++) {
    const next = (((hashes[at] ?? 0) >>> shift) & LAST_DIGIT) + 1;
    places[next] = (places[next] ?? 0) + 1;
  }
  for (let next = 1; next <= DIGITS; next++) places[next] = (places[next] ?? 0) + (places[next - 1] ?? 0);
  const sortedHashes = new Uint32Array(length);
  const sortedSlots = new Uint16Array(length);
  for (let at = 0; at < length; at++) {
    const hash = hashes[at] ?? 0;
    const digit = (hash >>> shift) & LAST_DIGIT;
    const place = places[digit] ?? 0;
    places[digit] = place + 1;
    sortedHashes[place] = hash;
    sortedSlots[place] = slots[at] ?? 0;
  }
  return [sortedHashes, sortedSlots];
}
