// One class for each type of number. One class for all of them is slower: what V8 compiles for it then
// expects floats and integers, and opening a store takes a tenth longer.

const CHUNK_BITS = 12;
const CHUNK_SIZE = 1 << CHUNK_BITS;

/** Stands for no number in columns and lists. */
export const NONE = -1;

/** A column of 32-bit integers. It grows by chunks, so that no growth copies it. */
export class Int32Column {
  readonly #chunks: (Int32Array | undefined)[] = [];

  /** @returns `NONE` if nothing was set */
  get(index: number): number {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & (CHUNK_SIZE - 1)] ?? NONE;
  }

  set(index: number, value: number): void {
    const chunk = (this.#chunks[index >>> CHUNK_BITS] ??= new Int32Array(CHUNK_SIZE).fill(NONE));
    chunk[index & (CHUNK_SIZE - 1)] = value;
  }
}

/** A column of bytes, in chunks. */
export class Uint8Column {
  readonly #chunks: (Uint8Array | undefined)[] = [];

  /** @returns 0 if nothing was set */
  get(index: number): number {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & (CHUNK_SIZE - 1)] ?? 0;
  }

  set(index: number, value: number): void {
    const chunk = (this.#chunks[index >>> CHUNK_BITS] ??= new Uint8Array(CHUNK_SIZE));
    chunk[index & (CHUNK_SIZE - 1)] = value;
  }
}

/** A column of floats such as times, in chunks. */
export class Float64Column {
  readonly #chunks: (Float64Array | undefined)[] = [];

  /** @returns NaN if nothing was set */
  get(index: number): number {
    return this.#chunks[index >>> CHUNK_BITS]?.[index & (CHUNK_SIZE - 1)] ?? NaN;
  }

  set(index: number, value: number): void {
    const chunk = (this.#chunks[index >>> CHUNK_BITS] ??= new Float64Array(CHUNK_SIZE).fill(NaN));
    chunk[index & (CHUNK_SIZE - 1)] = value;
  }
}
