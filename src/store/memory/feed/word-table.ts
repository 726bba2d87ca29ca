import { FrozenWordTable } from './frozen-word-table.ts';
import { NumberList, type PostingList } from './posting-list.ts';

const MIN_SLOTS = 1024;

/**
 * For each word of a segment that still grows, the posts that hold it. An open-addressing hash table of 32-bit hashes;
 * the numbers of a word stand in one array of all words, in a range whose length is a power of two. No object for a word
 * or a post.
 */
export class WordTable {
  #hashes = new Uint32Array(MIN_SLOTS);
  /** Where the range of a slot begins. */
  #starts = new Uint32Array(MIN_SLOTS);
  /** How many numbers a slot has. Invariant: 0 exactly in a free slot. */
  #sizes = new Uint32Array(MIN_SLOTS);
  #wordCount = 0;
  #numbers = new Uint16Array(MIN_SLOTS);
  /** How much of `#numbers` has been in use. */
  #used = 0;
  /** Ranges that were given up, by the logarithm of their length. */
  readonly #free: number[][] = [];

  /** @param number at least as high as all before */
  add(hash: number, number: number): void {
    let slot = this.#slotOf(hash);
    if (this.#sizes[slot] === 0) {
      if (++this.#wordCount * 4 > this.#hashes.length * 3) {
        this.#grow();
        slot = this.#slotOf(hash);
      }
      this.#hashes[slot] = hash;
      this.#starts[slot] = this.#allocate(0);
    }
    this.#append(slot, number);
  }

  get(hash: number): PostingList | undefined {
    const slot = this.#slotOf(hash);
    return this.#sizes[slot] === 0 ? undefined : new NumberList(this.#numbersAt(slot));
  }

  /** As `FrozenWordTable.forEach`. */
  forEach(visit: (hash: number, number: number) => void): void {
    for (const [slot, hash] of this.#hashes.entries())
      for (const number of this.#numbersAt(slot)) visit(hash, number);
  }

  /** @param capacity of the segment @returns a table of the same content that takes less memory and cannot grow */
  freeze(capacity: number): FrozenWordTable {
    const hashes = this.#hashes.filter((_, slot) => this.#sizes[slot] !== 0).sort();
    return FrozenWordTable.of(hashes, (hash) => this.#numbersAt(this.#slotOf(hash)), capacity);
  }

  #numbersAt(slot: number): Uint16Array {
    const start = this.#starts[slot] ?? 0;
    return this.#numbers.subarray(start, start + (this.#sizes[slot] ?? 0));
  }

  /** The slot of a hash, or the free one where it belongs. */
  #slotOf(hash: number): number {
    const mask = this.#hashes.length - 1;
    let slot = hash & mask;
    while (this.#sizes[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #append(slot: number, number: number): void {
    const size = this.#sizes[slot] ?? 0;
    let start = this.#starts[slot] ?? 0;
    if (size > 0 && this.#numbers[start + size - 1] === number) return;
    // A range is full when its size is a power of two.
    if (size > 0 && (size & (size - 1)) === 0) {
      const order = 31 - Math.clz32(size);
      const next = this.#allocate(order + 1);
      this.#numbers.copyWithin(next, start, start + size);
      (this.#free[order] ??= []).push(start);
      this.#starts[slot] = start = next;
    }
    this.#numbers[start + size] = number;
    this.#sizes[slot] = size + 1;
  }

  /** @returns the start of a range of 2 ** order numbers */
  #allocate(order: number): number {
    const reused = this.#free[order]?.pop();
    if (reused !== undefined) return reused;
    const start = this.#used;
    this.#used += 2 ** order;
    if (this.#used > this.#numbers.length) {
      const larger = new Uint16Array(Math.max(this.#used, Math.ceil(this.#numbers.length * 1.5)));
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    return start;
  }

  #grow(): void {
    const [hashes, starts, sizes] = [this.#hashes, this.#starts, this.#sizes];
    const slots = hashes.length * 2;
    this.#hashes = new Uint32Array(slots);
    this.#starts = new Uint32Array(slots);
    this.#sizes = new Uint32Array(slots);
    for (let old = 0; old < hashes.length; old++) {
      if (sizes[old] === 0) continue;
      const slot = this.#slotOf(hashes[old] ?? 0);
      this.#hashes[slot] = hashes[old] ?? 0;
      this.#starts[slot] = starts[old] ?? 0;
      this.#sizes[slot] = sizes[old] ?? 0;
    }
  }
}
