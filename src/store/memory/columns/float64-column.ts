const CHUNK_BITS = 12;
const CHUNK_SIZE = 1 << CHUNK_BITS;

/** A column of numbers such as times. It grows by chunks, so that no growth copies it. */
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
