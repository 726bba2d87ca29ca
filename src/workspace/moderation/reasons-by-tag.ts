const SMALLEST = 1024;

/**
 * The tags of one day, with the bits of the reasons of each: a hash table with open addressing. Full journals
 * have 1.8 million tags, and as strings of a `Map` those of past days would fill the heap until it is
 * collected; a table is used again for another day.
 */
export class ReasonsByTag {
  /** 0: the slot is free. */
  #hashes = new Float64Array(SMALLEST);
  #reasons = new Uint8Array(SMALLEST);
  #size = 0;

  clear(): void {
    this.#hashes.fill(0);
    this.#reasons.fill(0);
    this.#size = 0;
  }

  /** @returns 0 for an unknown tag */
  get(tag: string): number {
    return this.#reasons[this.#findSlot(hashOf(tag))] ?? 0;
  }

  add(tag: string, reasons: number): void {
    this.#put(hashOf(tag), reasons);
    if (this.#size * 2 <= this.#hashes.length) return;
    const [hashes, old] = [this.#hashes, this.#reasons];
    this.#hashes = new Float64Array(hashes.length * 2);
    this.#reasons = new Uint8Array(hashes.length * 2);
    this.#size = 0;
    for (const [slot, hash] of hashes.entries()) if (hash !== 0) this.#put(hash, old[slot] ?? 0);
  }

  #put(hash: number, reasons: number): void {
    const slot = this.#findSlot(hash);
    if (this.#hashes[slot] === 0) this.#size += 1;
    this.#hashes[slot] = hash;
    this.#reasons[slot] = (this.#reasons[slot] ?? 0) | reasons;
  }

  /** The slot of the hash, or the free one that it would take. */
  #findSlot(hash: number): number {
    const { length } = this.#hashes;
    let slot = hash % length;
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) % length;
    return slot;
  }
}

/** 52 bits, of which two of 60,000 tags are equal once in a million days. FNV-1a, twice. */
function hashOf(tag: string): number {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (let index = 0; index < tag.length; index++) {
    low = Math.imul(low ^ tag.charCodeAt(index), 0x01000193);
    high = Math.imul(high ^ tag.charCodeAt(index), 0x5bd1e995);
  }
  return ((high >>> 0) & 0xfffff) * 2 ** 32 + (low >>> 0) + 1;
}
