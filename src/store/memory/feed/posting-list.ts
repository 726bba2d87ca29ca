/** A set of posts of a segment, by numbers from 0 on. */
export interface PostingList {
  /** How many numbers it holds, or an upper bound. */
  readonly size: number;
  /** @returns the highest number of the set that is not above `from`; -1 if there is none */
  floor(from: number): number;
  has(number: number): boolean;
}

/** Ascending numbers, some perhaps more than once: a view of the array of a segment. */
export class NumberList implements PostingList {
  readonly #numbers: Uint16Array;

  constructor(numbers: Uint16Array) {
    this.#numbers = numbers;
  }

  get size(): number {
    return this.#numbers.length;
  }

  floor(from: number): number {
    const index = countUpTo(this.#numbers, from);
    return index === 0 ? -1 : (this.#numbers[index - 1] ?? 0);
  }

  has(number: number): boolean {
    return this.floor(number) === number;
  }
}

/** @param numbers ascending @returns how many are not above `from` */
function countUpTo(numbers: Uint16Array, from: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Removes a number in place: a neighbour takes its place, and is there twice.
 * @param numbers ascending
 * @returns false if there is no other number; then nothing changes
 */
export function removeNumber(numbers: Uint16Array, number: number): boolean {
  const [from, to] = [countUpTo(numbers, number - 1), countUpTo(numbers, number)];
  const neighbour = numbers[from - 1] ?? numbers[to];
  if (neighbour === undefined) return from === to;
  numbers.fill(neighbour, from, to);
  return true;
}

const BITS = 16;

/** One bit for each number. From 4,096 numbers of a segment of 65,536 on it takes less memory than `NumberList`. */
export class Bitmap implements PostingList {
  readonly #bits: Uint16Array;

  /** @param bits as `createBits` makes them */
  constructor(bits: Uint16Array) {
    this.#bits = bits;
  }

  get size(): number {
    return this.#bits.length * BITS;
  }

  floor(from: number): number {
    let index = from >> 4;
    let bits = (this.#bits[index] ?? 0) & ((2 << (from & 15)) - 1);
    while (bits === 0 && index > 0) bits = this.#bits[--index] ?? 0;
    return bits === 0 ? -1 : index * BITS + 31 - Math.clz32(bits);
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 4] ?? 0) & (1 << (number & 15))) !== 0;
  }
}

/** @returns how many elements the bits for `count` numbers take */
export function bitsLength(count: number): number {
  return Math.ceil(count / BITS);
}

export function setBit(bits: Uint16Array, number: number): void {
  bits[number >> 4] = (bits[number >> 4] ?? 0) | (1 << (number & 15));
}

export function clearBit(bits: Uint16Array, number: number): void {
  bits[number >> 4] = (bits[number >> 4] ?? 0) & ~(1 << (number & 15));
}
