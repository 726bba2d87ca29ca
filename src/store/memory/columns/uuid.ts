import { randomFillSync } from 'node:crypto';

/** A UUID as 32-bit words. */
export const UUID_WORDS = 4;

const UUID_LENGTH = '019c9a31-6400-7000-8000-000000000000'.length;
const HYPHEN = 0x2d;
const DIGITS_PER_WORD = 8;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Reads a UUID in lower case, which must reach to the end of the text.
 * @param into receives the words, of which nothing is known if there is no UUID
 * @returns whether there is one
 */
export function parseUuid(text: string, start: number, into: Int32Array): boolean {
  if (text.length - start !== UUID_LENGTH) return false;
  let digits = 0;
  for (let index = 0; index < UUID_LENGTH; index++) {
    const code = text.charCodeAt(start + index);
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (code !== HYPHEN) return false;
      continue;
    }
    const digit = code <= 0x39 ? code - 0x30 : code - 0x61 + 10;
    if (digit < 0 || digit > 15 || (code > 0x39 && digit < 10)) return false;
    const word = (digits++ / DIGITS_PER_WORD) | 0;
    into[word] = ((into[word] ?? 0) << 4) | digit;
  }
  return true;
}

export function formatUuid(words: Int32Array): string {
  let hex = '';
  for (let word = 0; word < UUID_WORDS; word++) {
    const bits = words[word] ?? 0;
    hex += `${HEX[bits >>> 24] ?? ''}${HEX[(bits >>> 16) & 255] ?? ''}`;
    hex += `${HEX[(bits >>> 8) & 255] ?? ''}${HEX[bits & 255] ?? ''}`;
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const VALUES = 256;

/**
 * Tabulation hashing: each value of each byte has a random word. No UUIDs can be prepared whose hashes agree
 * in some bits, as they can for sums of products, where the upper bits of the words decide the upper bits of
 * the sum.
 * @returns a hash of 32 bits, another one for each call
 */
export function createUuidHash(): (words: Int32Array) => number {
  const table = randomFillSync(new Int32Array(UUID_WORDS * 4 * VALUES));
  return (words) => {
    let hash = 0;
    for (let word = 0; word < UUID_WORDS; word++) {
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
