const CHUNK_BITS = 12;
const CHUNK_MASK = (1 << CHUNK_BITS) - 1;

/** A UUID as 32-bit words. */
export const UUID_WORDS = 4;

/** A column of UUIDs, 16 bytes each. It grows by chunks, so that no growth copies it. */
export class UuidColumn {
  readonly #chunks: (Int32Array | undefined)[] = [];

  /** Copies a UUID into an array. */
  read(index: number, into: Int32Array): void {
    const chunk = this.#chunks[index >>> CHUNK_BITS];
    const start = (index & CHUNK_MASK) * UUID_WORDS;
    for (let word = 0; word < UUID_WORDS; word++) into[word] = chunk?.[start + word] ?? 0;
  }

  set(index: number, words: Int32Array): void {
    const chunk = (this.#chunks[index >>> CHUNK_BITS] ??= new Int32Array(UUID_WORDS << CHUNK_BITS));
    const start = (index & CHUNK_MASK) * UUID_WORDS;
    for (let word = 0; word < UUID_WORDS; word++) chunk[start + word] = words[word] ?? 0;
  }

  holds(index: number, words: Int32Array): boolean {
    const chunk = this.#chunks[index >>> CHUNK_BITS];
    const start = (index & CHUNK_MASK) * UUID_WORDS;
    for (let word = 0; word < UUID_WORDS; word++) if (chunk?.[start + word] !== words[word]) return false;
    return true;
  }
}
