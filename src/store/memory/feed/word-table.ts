import { NumberList, removeNumber, type PostingList } from './posting-list.ts';

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

  /** How many words the table has. */
  get size(): number {
    return this.#wordCount;
  }

  get(hash: number): PostingList | undefined {
    const numbers = this.numbersOf(hash);
    return numbers.length === 0 ? undefined : new NumberList(numbers);
  }

  /** @returns a view of the numbers of a word, ascending, some perhaps more than once */
  numbersOf(hash: number): Uint16Array {
    const slot = this.#slotOf(hash);
    const start = this.#starts[slot] ?? 0;
    return this.#numbers.subarray(start, start + (this.#sizes[slot] ?? 0));
  }

  /** The hashes of all words, ascending but for words of neighbouring slots. */
  *hashes(): Generator<number> {
    const slots = this.#hashes.length;
    // Words of the last slots may stand in the first ones, so these come last.
    const first = this.#sizes.indexOf(0);
    for (let count = 0; count < slots; count++) {
      const slot = (first + count) & (slots - 1);
      if (this.#sizes[slot] !== 0) yield this.#hashes[slot] ?? 0;
    }
  }

  /** Removes posts from all words. Reads the whole table once, whatever the number of posts. */
  removeNumbers(unwanted: ReadonlySet<number>): void {
    for (const hash of [...this.hashes()])
      for (const number of [...new Set(this.numbersOf(hash))].filter((one) => unwanted.has(one)))
        this.#remove(hash, number);
  }

  #remove(hash: number, number: number): void {
    const slot = this.#slotOf(hash);
    if (this.#sizes[slot] !== 0 && !removeNumber(this.numbersOf(hash), number)) this.#removeWord(slot);
  }

  /** The slot of a hash, or the free one where it belongs. */
  #slotOf(hash: number): number {
    let slot = this.#homeOf(hash);
    while (this.#sizes[slot] !== 0 && this.#hashes[slot] !== hash) slot = this.#next(slot);
    return slot;
  }

  /** The slot of a hash while no other word is in it. Higher hashes have higher slots. */
  #homeOf(hash: number): number {
    return hash >>> (Math.clz32(this.#hashes.length) + 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#hashes.length - 1);
  }

  /** Words behind a free slot would not be found, so they move up. */
  #removeWord(slot: number): void {
    const size = this.#sizes[slot] ?? 0;
    (this.#free[orderOf(size)] ??= []).push(this.#starts[slot] ?? 0);
    this.#wordCount -= 1;
    const mask = this.#hashes.length - 1;
    let free = slot;
    for (let other = this.#next(slot); this.#sizes[other] !== 0; other = this.#next(other)) {
      const distance = (other - this.#homeOf(this.#hashes[other] ?? 0)) & mask;
      if (distance < ((other - free) & mask)) continue;
      this.#hashes[free] = this.#hashes[other] ?? 0;
      this.#starts[free] = this.#starts[other] ?? 0;
      this.#sizes[free] = this.#sizes[other] ?? 0;
      free = other;
    }
    this.#sizes[free] = 0;
  }

  #append(slot: number, number: number): void {
    const size = this.#sizes[slot] ?? 0;
    let start = this.#starts[slot] ?? 0;
    if (size > 0 && this.#numbers[start + size - 1] === number) return;
    // A range is full when its size is a power of two.
    if (size > 0 && (size & (size - 1)) === 0) {
      const order = orderOf(size);
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

/** @returns the logarithm of the length of a range with so many numbers, at least one */
function orderOf(size: number): number {
  return 32 - Math.clz32(size - 1);
}
