import { SortedList } from '#store/engine/sorted-list.ts';
import type { Kind } from '#store/port/records.ts';
import type { Totals } from '#store/port/store.ts';
import { NONE } from './columns/column.ts';
import type { TimeKey } from './columns/time-key.ts';
import type { KeyRange } from './key-range.ts';
import type { RecordTable } from './record-table.ts';

/** The records in the order of time: the visible ones of each kind, with totals, and the hidden ones. */
export class RecordOrders {
  readonly #table: RecordTable;
  readonly #visible: Readonly<Record<Kind, SortedList<number, TimeKey>>>;
  readonly #hidden: SortedList<number, TimeKey>;
  /** Visible posts; `none` counts the posts without a prefix. */
  readonly #countByPrefix: Record<string, number> = {};
  /** Visible posts without a parent. */
  #threadCount = 0;

  constructor(table: RecordTable) {
    const createList = (): SortedList<number, TimeKey> => new SortedList((record) => table.timeOf(record));
    this.#table = table;
    this.#visible = { post: createList(), guest: createList(), project: createList(), note: createList() };
    this.#hidden = createList();
  }

  /** Adds a record that is visible or hidden, as the table says. */
  arrive(record: number): void {
    if (this.#table.isVisible(record)) this.#show(record);
    else this.#hidden.add(record);
  }

  /** The record becomes visible (1) or hidden (-1). */
  update(record: number, sign: 1 | -1): void {
    if (sign === 1) {
      this.#hidden.remove(record);
      this.#show(record);
      return;
    }
    this.#hidden.add(record);
    this.#visible[this.#table.kindOf(record)].remove(record);
    this.#count(record, -1);
  }

  remove(record: number): void {
    this.#hidden.remove(record);
  }

  page(kind: Kind, { order, limit, before, after }: KeyRange): number[] {
    const list = this.#visible[kind];
    return order === 'newest' ? list.newest(limit, before, after) : list.oldest(limit, before, after);
  }

  /** Counts the visible records of a kind within a range. @returns at most `limit` */
  count(kind: Kind, { before, after }: Pick<KeyRange, 'before' | 'after'>, limit: number): number {
    return this.#visible[kind].oldest(limit, before, after).length;
  }

  /** @returns whether a record of the kind, hidden or not, has the time */
  hasTime(kind: Kind, at: TimeKey): boolean {
    const { length } = this.#visible[kind].at(at);
    return length > 0 || this.#hidden.at(at).some((record) => this.#table.kindOf(record) === kind);
  }

  hasAnyAt(at: TimeKey): boolean {
    return [...Object.values(this.#visible), this.#hidden].some((list) => list.at(at).length > 0);
  }

  records(): number[] {
    const lists = [...Object.values(this.#visible), this.#hidden].map((list) => list.oldest(list.size));
    return lists.flat().sort((record, other) => this.#table.timeOf(record) - this.#table.timeOf(other));
  }

  totals(): Totals {
    return {
      posts: this.#visible.post.size,
      threads: this.#threadCount,
      byPrefix: { ...this.#countByPrefix },
      guests: this.#visible.guest.size,
      projects: this.#visible.project.size,
    };
  }

  #show(record: number): void {
    this.#visible[this.#table.kindOf(record)].add(record);
    this.#count(record, 1);
  }

  #count(record: number, sign: 1 | -1): void {
    if (this.#table.rootOf(record) === NONE) return;
    const name = this.#table.prefixOf(record) ?? 'none';
    this.#countByPrefix[name] = (this.#countByPrefix[name] ?? 0) + sign;
    if (this.#table.parentOf(record) === NONE) this.#threadCount += sign;
  }
}
