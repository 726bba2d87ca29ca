/**
 * A 53-bit hash of a word (cyrb53), so that a JavaScript number and a JSON number hold it. Indexes hold
 * hashes in place of words: of an erased text they then hold none of its words. PostgreSQL stores those of
 * seed 0, so the function never changes.
 * @param seed 32 bits
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
