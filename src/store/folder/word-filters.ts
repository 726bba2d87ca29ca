import { randomInt } from 'node:crypto';
import { entriesOf, entryOf, MAX_ENTRIES, type WordSource } from '#message/words.ts';
import { hashWord } from '#store/engine/word-hash.ts';

/** The false positive rate is about 1 %, and more for a post with more than `MAX_ENTRIES`. */
const BITS_PER_ENTRY = 10;
const PROBES = 4;
/** The bytes before each filter, which contain its length. */
const HEAD_BYTES = 2;
const CHUNK_BYTES = 1024 * 1024;

interface Filtered {
  filterOffset: number;
}

/** A Bloom filter for each post: a post that lacks an entry of a search cannot match. */
export class WordFilters {
  /** Random in each process, so that no client can choose entries with equal hashes. */
  readonly #seed = randomInt(2 ** 32);
  readonly #chunks: Buffer[] = [];
  #end = 0;

  get bytes(): number {
    return this.#chunks.length * CHUNK_BYTES;
  }

  hashes(words: readonly string[]): number[] {
    return [...new Set(words.map(entryOf))].map((entry) => hashWord(entry, this.#seed));
  }

  add(item: Filtered, post: WordSource): void {
    const entries = entriesOf(post);
    const length = Math.ceil((Math.min(entries.size, MAX_ENTRIES) * BITS_PER_ENTRY) / 8) + 1;
    if (this.#end + HEAD_BYTES + length > this.bytes) {
      this.#end = this.bytes;
      this.#chunks.push(Buffer.alloc(CHUNK_BYTES));
    }
    item.filterOffset = this.#end;
    this.#end += HEAD_BYTES + length;
    const { chunk, start } = this.#locate(item.filterOffset);
    chunk.writeUInt16LE(length, start - HEAD_BYTES);
    for (const entry of entries)
      visitBits(hashWord(entry, this.#seed), length, (bit) => {
        const byte = start + (bit >>> 3);
        chunk[byte] = (chunk[byte] ?? 0) | (1 << (bit & 7));
        return true;
      });
  }

  remove(item: Filtered): void {
    if (item.filterOffset < 0) return;
    const { chunk, start } = this.#locate(item.filterOffset);
    chunk.fill(0, start, start + chunk.readUInt16LE(start - HEAD_BYTES));
    item.filterOffset = -1;
  }

  mayHold({ filterOffset }: Filtered, hashes: readonly number[]): boolean {
    if (filterOffset < 0) return true;
    const { chunk, start } = this.#locate(filterOffset);
    const length = chunk.readUInt16LE(start - HEAD_BYTES);
    return hashes.every((hash) =>
      visitBits(hash, length, (bit) => ((chunk[start + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) !== 0),
    );
  }

  #locate(offset: number): { readonly chunk: Buffer; readonly start: number } {
    const chunk = this.#chunks[Math.floor(offset / CHUNK_BYTES)];
    if (chunk === undefined) throw new Error('there is no filter at this offset');
    return { chunk, start: (offset % CHUNK_BYTES) + HEAD_BYTES };
  }
}

/** @param length of the filter in bytes @returns whether `visit` returned true for all bits */
function visitBits(hash: number, length: number, visit: (bit: number) => boolean): boolean {
  const first = hash >>> 0;
  const step = Math.floor(hash / 2 ** 32) | 1;
  for (let probe = 0; probe < PROBES; probe++)
    if (!visit(((first + probe * step) >>> 0) % (8 * length))) return false;
  return true;
}
