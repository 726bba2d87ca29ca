import { randomFillSync } from 'node:crypto';

/** Values of a byte. */
const VALUES = 256;

/**
 * Tabulation hashing: each value of each byte has a random word. No UUIDs can be prepared whose hashes agree in some bits,
 * as they can for sums of products, where the upper bits of the words decide the upper bits of the sum.
 * @param wordCount how many words of 32 bits a UUID has
 * @returns a hash of 32 bits, another one for each call
 */
export function createUuidHash(wordCount: number): (words: Int32Array) => number {
  const table = randomFillSync(new Int32Array(wordCount * 4 * VALUES));
  return (words) => {
    let hash = 0;
    for (let word = 0; word < wordCount; word++) {
      const bits = words[word] ?? 0;
      const start = word * 4 * VALUES;
      hash ^=
        (table[start | (bits & 255)] ?? 0) ^
        (table[start | 256 | ((bits >>> 8) & 255)] ?? 0) ^
        (table[start | 512 | ((bits >>> 16) & 255)] ?? 0) ^
        (table[start | 768 | (bits >>> 24)] ?? 0);
    }
    return hash;
  };
}
