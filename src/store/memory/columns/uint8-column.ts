const CHUNK_BITS = 12;
const CHUNK_SIZE = 1 << CHUNK_BITS;

/** A column of bytes. It grows by chunks, so that no growth copies it. */
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
