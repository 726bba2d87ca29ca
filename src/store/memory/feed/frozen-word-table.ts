import { Bitmap, clearBit, NumberList, removeNumber, type PostingList } from './posting-list.ts';

/**
 * For each word of a full segment, the posts that hold it: the hashes of the words in order, and the numbers of all words
 * in one array. The numbers of a frequent word are a bitmap.
 */
export class FrozenWordTable {
  /** Ascending. A word that was removed has the hash of the word before it. */
  readonly #hashes: Uint32Array;
  /** Where the numbers of each word begin, and where the last ones end. */
  readonly #starts: Uint32Array;
  readonly #numbers: Uint16Array;
  /** Invariant: a range of this length is a bitmap, and every other range is shorter. */
  readonly #bitmapLength: number;
  /** The words before it were removed. */
  #first = 0;

  /**
   * @param hashes ascending
   * @param starts one more than hashes
   * @param bitmapLength of the capacity of the segment
   */
  constructor(hashes: Uint32Array, starts: Uint32Array, numbers: Uint16Array, bitmapLength: number) {
    this.#hashes = hashes;
    this.#starts = starts;
    this.#numbers = numbers;
    this.#bitmapLength = bitmapLength;
  }

  get(hash: number): PostingList | undefined {
    const index = this.#indexOf(hash);
    if (this.#hashes[index] !== hash) return undefined;
    const range = this.#rangeAt(index);
    return range.length < this.#bitmapLength ? new NumberList(range) : new Bitmap(range);
  }

  /** As `WordTable.removeNumbers`. The memory of a word that no other post holds is not used again. */
  removeNumbers(unwanted: ReadonlySet<number>): void {
    for (let index = this.#first; index < this.#hashes.length; index++) {
      const range = this.#rangeAt(index);
      if (range.length === this.#bitmapLength) for (const number of unwanted) clearBit(range, number);
      else if (!removeAll(range, unwanted)) this.#removeWord(index, this.#hashes[index] ?? 0);
    }
  }

  #removeWord(index: number, hash: number): void {
    let end = index;
    while (this.#hashes[end] === hash) end += 1;
    if (index === this.#first) this.#first = end;
    this.#hashes.fill(index === 0 ? 0 : (this.#hashes[index - 1] ?? 0), index, end);
  }

  #rangeAt(index: number): Uint16Array {
    return this.#numbers.subarray(this.#starts[index], this.#starts[index + 1]);
  }

  /** Of the first hash that is not below. */
  #indexOf(hash: number): number {
    let low = this.#first;
    let high = this.#hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#hashes[middle] ?? 0) < hash) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** @returns whether a number is left */
function removeAll(range: Uint16Array, unwanted: ReadonlySet<number>): boolean {
  // The values of the array change during the loop, which then sees them.
  for (const number of range) {
    if (unwanted.has(number) && !removeNumber(range, number)) return false;
  }
  return true;
}
