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
