import { Bitmap, bitsLength, NumberList, setBit, type PostingList } from './posting-list.ts';

/**
 * For each word of a full segment, the posts that hold it: the hashes of the words in order, and the numbers of all words
 * in one array. The numbers of a frequent word are a bitmap.
 */
export class FrozenWordTable {
  /** Ascending. */
  readonly #hashes: Uint32Array;
  /** Where the numbers of each word begin, and where the last ones end. */
  readonly #starts: Uint32Array;
  readonly #numbers: Uint16Array;
  /** Invariant: a range of this length is a bitmap, and every other range is shorter. */
  readonly #bitmapLength: number;

  private constructor(hashes: Uint32Array, starts: Uint32Array, numbers: Uint16Array, bitmapLength: number) {
    this.#hashes = hashes;
    this.#starts = starts;
    this.#numbers = numbers;
    this.#bitmapLength = bitmapLength;
  }

  /**
   * @param hashes ascending
   * @param numbersOf the numbers of a word, ascending, at least one
   * @param capacity of the segment
   */
  static of(
    hashes: Uint32Array,
    numbersOf: (hash: number) => Uint16Array,
    capacity: number,
  ): FrozenWordTable {
    const bitmapLength = bitsLength(capacity);
    const starts = new Uint32Array(hashes.length + 1);
    for (const [index, hash] of hashes.entries())
      starts[index + 1] = (starts[index] ?? 0) + Math.min(numbersOf(hash).length, bitmapLength);
    const numbers = new Uint16Array(starts.at(-1) ?? 0);
    for (const [index, hash] of hashes.entries()) {
      const own = numbersOf(hash);
      const range = numbers.subarray(starts[index], starts[index + 1]);
      if (own.length < bitmapLength) range.set(own);
      else for (const number of own) setBit(range, number);
    }
    return new FrozenWordTable(hashes, starts, numbers, bitmapLength);
  }

  get(hash: number): PostingList | undefined {
    const index = this.#indexOf(hash);
    if (this.#hashes[index] !== hash) return undefined;
    const range = this.#rangeAt(index);
    return range.length < this.#bitmapLength ? new NumberList(range) : new Bitmap(range);
  }

  /** Visits every word with every post that holds it, the numbers of a word in ascending order. */
  forEach(visit: (hash: number, number: number) => void): void {
    for (const [index, hash] of this.#hashes.entries()) {
      const range = this.#rangeAt(index);
      if (range.length < this.#bitmapLength) for (const number of range) visit(hash, number);
      else
        for (const [element, bits] of range.entries())
          for (let bit = 0; bit < 16; bit++) if ((bits & (1 << bit)) !== 0) visit(hash, element * 16 + bit);
    }
  }

  #rangeAt(index: number): Uint16Array {
    return this.#numbers.subarray(this.#starts[index], this.#starts[index + 1]);
  }

  /** Of the first hash that is not below. */
  #indexOf(hash: number): number {
    let low = 0;
    let high = this.#hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#hashes[middle] ?? 0) < hash) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
