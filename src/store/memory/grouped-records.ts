import { SortedList } from '#store/engine/sorted-list.ts';
import { Int32Column, NONE } from './columns/column.ts';
import { LinkedLists } from './columns/linked-lists.ts';
import type { TimeKey } from './columns/time-key.ts';
import type { KeyRange } from './key-range.ts';

/** A page walks through groups of up to this number of records. */
const MAX_WALKED = 128;

/**
 * The visible records of each group in the order of time: the posts of a thread, the replies to a post, the
 * notes on a project. Groups and records are numbers, and a record is in one group at most.
 */
export class GroupedRecords {
  readonly #timeOf: (record: number) => TimeKey;
  readonly #links: LinkedLists;
  readonly #sizes = new Int32Column();
  /** The records of groups that ever exceeded `MAX_WALKED`, so that a page begins anywhere. */
  readonly #sorted = new Map<number, SortedList<number, TimeKey>>();

  /** @param timeOf must return the same time for a record as long as a group holds it */
  constructor(timeOf: (record: number) => TimeKey) {
    this.#timeOf = timeOf;
    this.#links = new LinkedLists((record, other) => timeOf(record) < timeOf(other));
  }

  /** Adds a record that becomes visible (1), or removes one that is hidden (-1). */
  update(group: number, record: number, sign: 1 | -1): void {
    this.#sizes.set(group, this.size(group) + sign);
    const sorted = this.#sorted.get(group);
    if (sign === -1) {
      this.#links.remove(group, record);
      sorted?.remove(record);
      return;
    }
    this.#links.add(group, record);
    sorted?.add(record);
    if (sorted === undefined && this.size(group) > MAX_WALKED) this.#sorted.set(group, this.#toSorted(group));
  }

  size(group: number): number {
    return Math.max(this.#sizes.get(group), 0);
  }

  /** @returns the latest record of the group; `NONE` if it has none */
  last(group: number): number {
    return this.#links.last(group);
  }

  page(group: number, { order, limit, before, after }: KeyRange): number[] {
    const sorted = this.#sorted.get(group);
    if (sorted !== undefined)
      return order === 'newest' ? sorted.newest(limit, before, after) : sorted.oldest(limit, before, after);
    const isInRange = (record: number): boolean => {
      const at = this.#timeOf(record);
      return (before === undefined || at < before) && (after === undefined || at > after);
    };
    const found: number[] = [];
    const isOldest = order === 'oldest';
    let record = isOldest ? this.#links.first(group) : this.#links.last(group);
    for (; record !== NONE && found.length < limit; record = this.#step(record, isOldest))
      if (isInRange(record)) found.push(record);
    return found;
  }

  /** @yields the records of the group that are later than a time, oldest first */
  *recordsAfter(group: number, after: TimeKey): Generator<number, void> {
    const [first = NONE] = this.page(group, { order: 'oldest', after, limit: 1 });
    for (let record = first; record !== NONE; record = this.#links.next(record)) yield record;
  }

  #step(record: number, isForward: boolean): number {
    return isForward ? this.#links.next(record) : this.#links.previous(record);
  }

  #toSorted(group: number): SortedList<number, TimeKey> {
    const sorted = new SortedList<number, TimeKey>(this.#timeOf);
    for (let record = this.#links.first(group); record !== NONE; record = this.#links.next(record))
      sorted.add(record);
    return sorted;
  }
}
