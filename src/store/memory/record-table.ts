import { isHiddenAfter, moderatedAtAfter } from '#store/engine/record-state.ts';
import type { Moderation } from '#store/engine/operation.ts';
import { kindOf, type Kind, type Timestamp } from '#store/port/records.ts';
import { Float64Column, Int32Column, NONE } from './columns/column.ts';
import { IdTable } from './columns/id-table.ts';
import { BEFORE_ALL, type TimeKey } from './columns/time-key.ts';

/** What the table holds of a record besides its id. */
export interface RecordHead {
  readonly line: number;
  readonly time: TimeKey;
  /** The number of the post that a reply replies to, or of the project of a note; else `NONE`. */
  readonly parent: number;
  /** The number of the first post of the thread; `NONE` unless the record is a post. */
  readonly root: number;
  readonly prefix: string | null;
}

// The bits of a record's traits. The code of its prefix is above them.
const IS_THERE = 1;
const IS_HIDDEN = 2;
const IS_ERASED = 4;
const PREFIX_SHIFT = 3;
const BITS = (1 << PREFIX_SHIFT) - 1;

/**
 * What is known of each record without its texts, in columns by number. An id that another record names has
 * its number before it arrives, and an erased record leaves its number. 45 bytes a record, and 8 to 15 for
 * its id in the hash table.
 */
export class RecordTable {
  readonly ids: IdTable;
  readonly #times = new Float64Column();
  readonly #lines = new Int32Column();
  /** By line, the number of the record that the line added. */
  readonly #numbers = new Int32Column();
  readonly #parents = new Int32Column();
  readonly #roots = new Int32Column();
  readonly #traits = new Int32Column();
  readonly #prefixes: (string | null)[] = [null];
  readonly #prefixCodes = new Map<string | null, number>([[null, 0]]);
  /** Few records have one. */
  readonly #moderatedAt = new Map<number, Timestamp>();

  constructor(expectedRecords: number) {
    this.ids = new IdTable(expectedRecords);
  }

  kindOf(number: number): Kind {
    return this.ids.kindOf(number) ?? kindOf(this.ids.idOf(number));
  }

  /** Adds a record. A moderation may have come before it. */
  arrive(number: number, { line, time, parent, root, prefix }: RecordHead): void {
    this.#setLine(number, line);
    this.#times.set(number, time);
    if (parent !== NONE) this.#parents.set(number, parent);
    if (root !== NONE) this.#roots.set(number, root);
    this.#traits.set(number, this.#bitsOf(number) | IS_THERE | (this.#codeOf(prefix) << PREFIX_SHIFT));
  }

  /**
   * Marks an id as erased. Of a record it leaves the time and the line.
   * @param line of the line that added the record, if it is known from elsewhere
   */
  erase(number: number, line?: number): void {
    if (line !== undefined) this.#setLine(number, line);
    this.#traits.set(number, IS_ERASED);
  }

  isThere(number: number): boolean {
    return (this.#bitsOf(number) & IS_THERE) !== 0;
  }

  isVisible(number: number): boolean {
    return (this.#bitsOf(number) & (IS_THERE | IS_HIDDEN)) === IS_THERE;
  }

  /** Whether the record is hidden, or will be when it arrives. */
  isHidden(number: number): boolean {
    return (this.#bitsOf(number) & IS_HIDDEN) !== 0;
  }

  isErased(number: number): boolean {
    return (this.#bitsOf(number) & IS_ERASED) !== 0;
  }

  /** @returns the number of the line that added a record, erased or not; `NONE` if none did */
  lineOf(number: number): number {
    return this.#lines.get(number);
  }

  /** @returns the number of the record that a line added, erased or not; `NONE` if it added none */
  numberAt(line: number): number {
    return this.#numbers.get(line);
  }

  /** @returns the time of a record, erased or not; `BEFORE_ALL` if there never was one */
  timeOf(number: number): TimeKey {
    const time = this.#times.get(number);
    return Number.isNaN(time) ? BEFORE_ALL : time;
  }

  parentOf(number: number): number {
    return this.#parents.get(number);
  }

  rootOf(number: number): number {
    return this.#roots.get(number);
  }

  /** @returns null for a record that is not there */
  prefixOf(number: number): string | null {
    return this.#prefixes[Math.max(this.#traits.get(number), 0) >> PREFIX_SHIFT] ?? null;
  }

  moderatedAt(number: number): Timestamp | null {
    return this.#moderatedAt.get(number) ?? null;
  }

  /** Applies a moderation. @returns whether the record is hidden and was not, or the other way round */
  moderate(number: number, moderation: Pick<Moderation, 'action' | 'at'>): boolean {
    const wasHidden = this.isHidden(number);
    const moderatedAt = this.moderatedAt(number);
    const isHidden = isHiddenAfter({ status: wasHidden ? 'hidden' : 'visible', moderatedAt }, moderation);
    const after = moderatedAtAfter(moderatedAt, moderation);
    if (after !== null) this.#moderatedAt.set(number, after);
    const traits = Math.max(this.#traits.get(number), 0);
    this.#traits.set(number, isHidden ? traits | IS_HIDDEN : traits & ~IS_HIDDEN);
    return isHidden !== wasHidden;
  }

  #setLine(number: number, line: number): void {
    this.#lines.set(number, line);
    this.#numbers.set(line, number);
  }

  #bitsOf(number: number): number {
    return Math.max(this.#traits.get(number), 0) & BITS;
  }

  #codeOf(prefix: string | null): number {
    const known = this.#prefixCodes.get(prefix);
    if (known !== undefined) return known;
    const code = this.#prefixes.push(prefix) - 1;
    this.#prefixCodes.set(prefix, code);
    return code;
  }
}
