import type { Kind } from '#store/records.ts';
import { Int32Column, NONE } from './int32-column.ts';
import { Uint8Column } from './uint8-column.ts';
import { createUuidHash } from './uuid-hash.ts';

/** By code; 0 stands for an id that is no UUID behind one of these. */
const KINDS: readonly (Kind | undefined)[] = [undefined, 'post', 'guest', 'project', 'note'];

/** The code of posts. */
export const POST_CODE = KINDS.indexOf('post');

/** Codes of kinds are lower. */
export const KIND_CODES = KINDS.length;

const UUID_LENGTH = '019c9a31-6400-7000-8000-000000000000'.length;
const HYPHEN = 0x2d;
/** A UUID as 32-bit words. */
export const UUID_WORDS = 4;
const MIN_SLOTS = 1024;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/**
 * Ids, and a number for each, dense from 0. An id of a kind and a UUID in lower case takes 17 bytes, and a place in a hash
 * table of numbers; others are strings.
 */
export class IdTable {
  /** Random, so that ids with equal hashes cannot be prepared: messages name ids that no record has. */
  readonly #hash = createUuidHash(UUID_WORDS);
  readonly #uuids = new Int32Column();
  readonly #kinds = new Uint8Column();
  /** Open addressing: each a number plus one, 0 if it is free. */
  #slots: Int32Array;
  #uuidCount = 0;
  readonly #others = new Map<string, number>();
  readonly #otherIds = new Map<number, string>();
  /** The id that is looked for. */
  readonly #wanted = new Int32Array(UUID_WORDS);

  /** @param expected about how many ids will come */
  constructor(expected = 0) {
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(MIN_SLOTS, expected * 1.5))));
  }

  get size(): number {
    return this.#uuidCount + this.#others.size;
  }

  /** @returns `NONE` if the id has no number */
  find(id: string): number {
    const kind = this.#parse(id);
    if (kind === 0) return this.#others.get(id) ?? NONE;
    return (this.#slots[this.#slotOf(kind)] ?? 0) - 1;
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

  /** @returns the code of the kind of an id that is a kind and a UUID, and the words of the UUID; undefined for another id */
  partsOf(number: number): { kind: number; uuid: readonly number[] } | undefined {
    const kind = this.#kinds.get(number);
    if (kind === 0) return undefined;
    const uuid = Array.from({ length: UUID_WORDS }, (_, word) => this.#uuids.get(number * UUID_WORDS + word));
    return { kind, uuid };
  }

  /** As `reserve`, for an id by its parts. @param start of the words of the UUID */
  reserveParts(kind: number, words: Int32Array, start: number): number {
    for (let word = 0; word < UUID_WORDS; word++) this.#wanted[word] = words[start + word] ?? 0;
    return this.#reserveWanted(kind);
  }

  #reserveWanted(kind: number): number {
    const slot = this.#slotOf(kind);
    const known = (this.#slots[slot] ?? 0) - 1;
    if (known !== NONE) return known;
    const number = this.size;
    for (let word = 0; word < UUID_WORDS; word++)
      this.#uuids.set(number * UUID_WORDS + word, this.#wanted[word] ?? 0);
    this.#kinds.set(number, kind);
    this.#uuidCount += 1;
    this.#slots[slot] = number + 1;
    // At most two thirds are taken.
    if (this.#uuidCount * 3 > this.#slots.length * 2) this.#grow();
    return number;
  }

  /** @param number of an id */
  idOf(number: number): string {
    const kind = this.kindOf(number);
    if (kind === undefined) return this.#otherIds.get(number) ?? '';
    let hex = '';
    for (let word = 0; word < UUID_WORDS; word++) {
      const bits = this.#uuids.get(number * UUID_WORDS + word);
      hex += `${HEX[bits >>> 24] ?? ''}${HEX[(bits >>> 16) & 255] ?? ''}${HEX[(bits >>> 8) & 255] ?? ''}${HEX[bits & 255] ?? ''}`;
    }
    const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
    return `${kind}_${parts.join('-')}`;
  }

  /** @returns undefined for an id that is kept as a string */
  kindOf(number: number): Kind | undefined {
    return KINDS[this.#kinds.get(number)];
  }

  /** Puts the UUID of an id in `#wanted`. @returns the code of its kind */
  #parse(id: string): number {
    const start = id.length - UUID_LENGTH;
    const kind = KINDS.indexOf(id.slice(0, start - 1) as Kind);
    if (kind <= 0 || id[start - 1] !== '_') return 0;
    let digits = 0;
    for (let index = 0; index < UUID_LENGTH; index++) {
      const code = id.charCodeAt(start + index);
      if (index === 8 || index === 13 || index === 18 || index === 23) {
        if (code !== HYPHEN) return 0;
        continue;
      }
      const digit = code <= 0x39 ? code - 0x30 : code - 0x61 + 10;
      if (digit < 0 || digit > 15 || (code > 0x39 && digit < 10)) return 0;
      const word = digits++ >> 3;
      this.#wanted[word] = ((this.#wanted[word] ?? 0) << 4) | digit;
    }
    return kind;
  }

  /** The slot of the wanted id, or the free one where it belongs. */
  #slotOf(kind: number): number {
    for (let slot = this.#homeOf(this.#wanted); ; slot = this.#next(slot)) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number === NONE || this.#isWanted(number, kind)) return slot;
    }
  }

  /** The slot of a UUID while no other one is in it. */
  #homeOf(words: Int32Array): number {
    return this.#hash(words) & (this.#slots.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1);
  }

  #isWanted(number: number, kind: number): boolean {
    for (let word = 0; word < UUID_WORDS; word++)
      if (this.#uuids.get(number * UUID_WORDS + word) !== this.#wanted[word]) return false;
    return this.#kinds.get(number) === kind;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    const words = new Int32Array(UUID_WORDS);
    for (const entry of old) {
      if (entry === 0) continue;
      for (let word = 0; word < UUID_WORDS; word++)
        words[word] = this.#uuids.get((entry - 1) * UUID_WORDS + word);
      let slot = this.#homeOf(words);
      while (this.#slots[slot] !== 0) slot = this.#next(slot);
      this.#slots[slot] = entry;
    }
  }
}
