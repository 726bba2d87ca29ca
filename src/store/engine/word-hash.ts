/**
 * A 53-bit hash of a word (cyrb53), so that no index contains a word of an erased text. The hash must never
 * change, since PostgreSQL stores the hashes for seed 0.
 * @param seed 32 bits
 * @example
 *   hashWord('fir'); // 8165059241892956
 *   hashWord('fir', 1); // 5505316764653299
 */
export function hashWord(word: string, seed = 0): number {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let index = 0; index < word.length; index++) {
    const unit = word.charCodeAt(index);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
