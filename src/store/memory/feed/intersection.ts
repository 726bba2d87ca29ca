import { Bitmap, bitsLength, setBit, type PostingList } from './posting-list.ts';

/** The numbers that all of some lists hold. */
export interface Intersection {
  /** How often a list was asked. */
  readonly lookups: number;
  /** @returns `from` if all lists hold it, otherwise a lower number, above which there is no common one; -1 at the end */
  stepDown(from: number): number;
}

export class NumberIntersection implements Intersection {
  readonly #lists: readonly PostingList[];
  lookups = 0;

  /** @param lists the smallest first */
  constructor(lists: readonly PostingList[]) {
    this.#lists = lists;
  }

  stepDown(from: number): number {
    for (const list of this.#lists) {
      this.lookups += 1;
      const found = list.floor(from);
      if (found < from) return found;
    }
    return from;
  }
}

/** The order of a segment whose posts did not arrive in the order of time. */
export interface RankOrder {
  /** By rank. */
  readonly numbers: Uint16Array;
  /** By number. */
  readonly ranks: Uint16Array;
}

/** How many numbers take on their ranks in the time of one lookup. */
const RANKS_PER_LOOKUP = 4;

/** The ranks of the numbers that all lists hold. The smallest list is put in the order of ranks at once. */
export class RankIntersection implements Intersection {
  readonly #order: RankOrder;
  readonly #smallest: PostingList;
  readonly #others: readonly PostingList[];
  lookups = 0;

  /** @param lists the smallest first */
  constructor([smallest, ...others]: readonly [PostingList, ...PostingList[]], order: RankOrder) {
    this.#order = order;
    this.#others = others;
    const bits = new Uint16Array(bitsLength(order.ranks.length));
    for (let number = smallest.floor(order.ranks.length - 1); number >= 0; ) {
      setBit(bits, order.ranks[number] ?? 0);
      number = number === 0 ? -1 : smallest.floor(number - 1);
      this.lookups += 1 / RANKS_PER_LOOKUP;
    }
    this.#smallest = new Bitmap(bits);
  }

  stepDown(from: number): number {
    this.lookups += 1;
    const rank = this.#smallest.floor(from);
    if (rank < from) return rank;
    const number = this.#order.numbers[rank] ?? 0;
    for (const list of this.#others) {
      this.lookups += 1;
      if (!list.has(number)) return rank - 1;
    }
    return rank;
  }
}
