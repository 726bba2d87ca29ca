/** The slots of the posts of a block that have something in common. */
export interface PostingList {
  /** What reading the whole list takes, in candidates of a search. */
  readonly cost: number;
  /**
   * @param from not above that of the call before
   * @returns the highest slot of the list that is not above `from`; -1 if there is none
   */
  floor(from: number): number;
}

/** How many bytes of a list are read in the time of one candidate. */
const BYTES_PER_CANDIDATE = 64;

/** The time in which a word is found in a block, in candidates. */
export const LOOKUP_COST = 4;

/** Above every slot. */
export const SLOT_END = 4096;

/** The most bytes of a difference of two slots. */
const MAX_BYTES = 2;

/**
 * The posts of a block by word, in three arrays. The list of a word holds the differences of its slots, the
 * highest slot first, as LEB128 numbers: one byte for each post of a frequent word.
 */
export class WordTable {
  /** Descending. */
  readonly #hashes: Uint32Array;
  /** Where the list of each hash begins, and where the last one ends. */
  readonly #starts: Uint32Array;
  readonly #lists: Uint8Array;

  /**
   * @param hashes ascending
   * @param slots one for each hash; those of equal hashes ascending, some perhaps more than once
   */
  constructor(hashes: Uint32Array, slots: Uint16Array) {
    const distinct = new Uint32Array(hashes.length);
    const starts = new Uint32Array(hashes.length + 1);
    const lists = new Uint8Array(hashes.length * MAX_BYTES);
    let [words, end, last] = [0, 0, 0];
    for (let at = hashes.length - 1; at >= 0; at--) {
      const [hash, slot] = [hashes[at] ?? 0, slots[at] ?? 0];
      if (words === 0 || hash !== distinct[words - 1]) {
        distinct[words] = hash;
        starts[words++] = end;
        last = SLOT_END;
      }
      let difference = last - slot;
      if (difference === 0) continue;
      for (; difference > 127; difference >>>= 7) lists[end++] = (difference & 127) | 128;
      lists[end++] = difference;
      last = slot;
    }
    starts[words] = end;
    this.#hashes = distinct.slice(0, words);
    this.#starts = starts.slice(0, words + 1);
    this.#lists = lists.slice(0, end);
  }

  get bytes(): number {
    return this.#hashes.byteLength + this.#starts.byteLength + this.#lists.byteLength;
  }

  /** @returns undefined if no post has the word */
  find(hash: number): PostingList | undefined {
    let low = 0;
    let high = this.#hashes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#hashes[middle] ?? 0) > hash) low = middle + 1;
      else high = middle;
    }
    return this.#hashes[low] === hash ? this.#listAt(low) : undefined;
  }

  #listAt(index: number): PostingList {
    return new DifferenceList(this.#lists, this.#starts[index] ?? 0, this.#starts[index + 1] ?? 0);
  }
}

class DifferenceList implements PostingList {
  readonly cost: number;
  readonly #bytes: Uint8Array;
  /** Where the next difference begins. */
  #at: number;
  readonly #end: number;
  #slot = SLOT_END;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.cost = LOOKUP_COST + (end - start) / BYTES_PER_CANDIDATE;
  }

  floor(from: number): number {
    while (this.#slot > from) {
      if (this.#at === this.#end) return -1;
      let byte = 128;
      for (let shift = 0; byte > 127; shift += 7) {
        byte = this.#bytes[this.#at++] ?? 0;
        this.#slot -= (byte & 127) << shift;
      }
    }
    return this.#slot;
  }
}
