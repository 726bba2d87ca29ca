import type { Kind } from '#store/port/records.ts';
import { Int32Column, NONE, Uint8Column } from './column.ts';
import { createUuidHash, formatUuid, parseUuid, UUID_WORDS } from './uuid.ts';

/** By code; 0 marks an id that is no UUID behind one of these. */
const KINDS: readonly (Kind | undefined)[] = [undefined, 'post', 'guest', 'project', 'note'];

const MIN_SLOTS = 1024;

/**
 * Ids, and a number for each, dense from 0. An id of a kind and a UUID in lower case takes 17 bytes, and a
 * place in a hash table of numbers; others are strings.
 */
export class IdTable {
  /** Random, so that ids with equal hashes cannot be prepared: messages name ids that no record has. */
  readonly #hash = createUuidHash();
  /** The words of the UUIDs, one after another. */
  readonly #words = new Int32Column();
  readonly #kinds = new Uint8Column();
  /** Open addressing: each a number plus one, 0 if it is free. */
  #slots: Int32Array;
  /**
   * By slot, bits of the hash, 0 if it is free. A step passes most ids that are not wanted without a look at
   * their UUIDs, which lie anywhere in memory.
   */
  #tags: Uint8Array;
  #uuidCount = 0;
  readonly #others = new Map<string, number>();
  readonly #otherIds = new Map<number, string>();
  /** The UUID of the id that is looked for. */
  readonly #wanted = new Int32Array(UUID_WORDS);

  /** @param expected about how many ids will come */
  constructor(expected = 0) {
    const length = 2 ** Math.ceil(Math.log2(Math.max(MIN_SLOTS, expected * 1.5)));
    this.#slots = new Int32Array(length);
    this.#tags = new Uint8Array(length);
  }

  get size(): number {
    return this.#uuidCount + this.#others.size;
  }

  /** @returns `NONE` if the id has no number */
  find(id: string): number {
    const kind = this.#parse(id);
    if (kind === 0) return this.#others.get(id) ?? NONE;
    return (this.#slots[this.#slotOf(kind, this.#hash(this.#wanted))] ?? 0) - 1;
  }

  /** @returns the number of an id, a new one if it has none */
  reserve(id: string): number {
    const kind = this.#parse(id);
    if (kind !== 0) return this.#reserveWanted(kind);
    const known = this.#others.get(id);
    if (known !== undefined) return known;
    const number = this.size;
    this.#others.set(id, number);
    this.#otherIds.set(number, id);
    return number;
  }

  /** @returns the code of the kind of an id with a UUID; 0 for an id that is kept as a string */
  kindCodeOf(number: number): number {
    return this.#kinds.get(number);
  }

  /** Copies the words of the UUID of an id into an array. @param start of them there */
  copyUuid(number: number, into: Int32Array, start: number): void {
    for (let word = 0; word < UUID_WORDS; word++)
      into[start + word] = this.#words.get(number * UUID_WORDS + word);
  }

  /** Reserves an id by its parts. @param start of the words of the UUID */
  reserveUuid(kindCode: number, words: Int32Array, start: number): number {
    for (let word = 0; word < UUID_WORDS; word++) this.#wanted[word] = words[start + word] ?? 0;
    return this.#reserveWanted(kindCode);
  }

  #reserveWanted(kind: number): number {
    const hash = this.#hash(this.#wanted);
    const slot = this.#slotOf(kind, hash);
    if (this.#tags[slot] !== 0) return (this.#slots[slot] ?? 0) - 1;
    const number = this.size;
    for (let word = 0; word < UUID_WORDS; word++)
      this.#words.set(number * UUID_WORDS + word, this.#wanted[word] ?? 0);
    this.#kinds.set(number, kind);
    this.#uuidCount += 1;
    this.#slots[slot] = number + 1;
    this.#tags[slot] = tagOf(hash);
    // At most two thirds are taken.
    if (this.#uuidCount * 3 > this.#slots.length * 2) this.#grow();
    return number;
  }

  idOf(number: number): string {
    const kind = this.kindOf(number);
    if (kind === undefined) return this.#otherIds.get(number) ?? '';
    this.copyUuid(number, this.#wanted, 0);
    return `${kind}_${formatUuid(this.#wanted)}`;
  }

  /** @returns undefined for an id that is kept as a string */
  kindOf(number: number): Kind | undefined {
    return KINDS[this.#kinds.get(number)];
  }

  /** Puts the UUID of an id in `#wanted`. @returns the code of its kind */
  #parse(id: string): number {
    const end = id.indexOf('_');
    const kind = end < 0 ? -1 : KINDS.indexOf(id.slice(0, end) as Kind);
    return kind > 0 && parseUuid(id, end + 1, this.#wanted) ? kind : 0;
  }

  /** The slot of the wanted id, or the free one where it belongs. */
  #slotOf(kind: number, hash: number): number {
    const tag = tagOf(hash);
    for (let slot = this.#homeOf(hash); ; slot = this.#next(slot)) {
      const found = this.#tags[slot];
      if (found === 0 || (found === tag && this.#isWanted((this.#slots[slot] ?? 0) - 1, kind))) return slot;
    }
  }

  /** The slot of a UUID while no other one is in it. */
  #homeOf(hash: number): number {
    return hash & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  #isWanted(number: number, kind: number): boolean {
    for (let word = 0; word < UUID_WORDS; word++)
      if (this.#words.get(number * UUID_WORDS + word) !== this.#wanted[word]) return false;
    return this.#kinds.get(number) === kind;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#tags = new Uint8Array(old.length * 2);
    const words = new Int32Array(UUID_WORDS);
    for (const entry of old) {
      if (entry === 0) continue;
      this.copyUuid(entry - 1, words, 0);
      const hash = this.#hash(words);
      let slot = this.#homeOf(hash);
      while (this.#tags[slot] !== 0) slot = this.#next(slot);
      this.#slots[slot] = entry;
      this.#tags[slot] = tagOf(hash);
    }
  }
}

/** @returns 1 to 255, of the upper bits of a hash, since the lower ones decide the slot of an id */
function tagOf(hash: number): number {
  return hash >>> 24 || 1;
}
