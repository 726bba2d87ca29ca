import type { AnyRecord, Timestamp } from '#store/records.ts';
import type { IndexEntry } from './record-entry.ts';

/** The records by id, and a number for each, dense from 0. An id that a record names has its number before it arrives. */
export class RecordNumbers {
  readonly #byId = new Map<string, IndexEntry>();
  /** By number; undefined for an id of `#absent`. */
  readonly #entries: (IndexEntry | undefined)[] = [];
  /** Numbers of ids that no record has: erased, or not there yet. Invariant: no id of it is in `#byId`. */
  readonly #absent = new Map<string, number>();

  /** @returns undefined for a record that is erased or not there yet */
  find(id: string): IndexEntry | undefined {
    return this.#byId.get(id);
  }

  /** As `find`, by number. */
  entryAt(number: number): IndexEntry | undefined {
    return this.#entries[number];
  }

  /** @returns the records that are there, in the order of their numbers in the list */
  entriesOf(numbers: readonly number[]): IndexEntry[] {
    return numbers.map((number) => this.#entries[number]).filter((entry) => entry !== undefined);
  }

  /** @returns the timestamp of a record; an empty string unless it is there */
  createdAt(number: number): Timestamp {
    return this.#entries[number]?.record.createdAt ?? '';
  }

  /** @returns undefined if the id has no number */
  numberOf(id: string): number | undefined {
    return this.#byId.get(id)?.number ?? this.#absent.get(id);
  }

  /** @returns the number of an id, a new one if it has none */
  reserve(id: string): number {
    const known = this.numberOf(id);
    if (known !== undefined) return known;
    const number = this.#entries.push(undefined) - 1;
    this.#absent.set(id, number);
    return number;
  }

  /** Takes in a record. @returns its entry, made of its number */
  arrive(record: AnyRecord, toEntry: (number: number) => IndexEntry): IndexEntry {
    const number = this.reserve(record.id);
    this.#absent.delete(record.id);
    const entry = toEntry(number);
    this.#byId.set(record.id, entry);
    this.#entries[number] = entry;
    return entry;
  }

  /** Removes a record. What others refer to keeps its number. */
  erase({ record: { id }, number }: IndexEntry): void {
    this.#byId.delete(id);
    this.#entries[number] = undefined;
    this.#absent.set(id, number);
  }
}
