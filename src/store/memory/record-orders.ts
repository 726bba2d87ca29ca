import { kindOf, type AnyRecord, type Kind, type Timestamp } from '#store/records.ts';
import type { Totals } from '#store/store.ts';
import { createEntryList, entriesIn, updateList, type EntryList, type EntryRange } from './entry-list.ts';
import { isPostEntry, type IndexEntry, type PostEntry } from './record-entry.ts';

/** The records in the order of time: all of them, and the visible ones of each kind, with their totals. */
export class RecordOrders {
  readonly #all = createEntryList();
  /** Visible records by kind. */
  readonly #visible: Readonly<Record<Kind, EntryList>> = {
    post: createEntryList(),
    guest: createEntryList(),
    project: createEntryList(),
    note: createEntryList(),
  };
  /** Visible posts; `none` counts the posts without a prefix. */
  readonly #countByPrefix: Record<string, number> = {};
  /** Visible posts without a parent. */
  #threadCount = 0;

  /** Takes in a record, which is not visible yet. */
  add(entry: IndexEntry): void {
    this.#all.add(entry);
  }

  /** Removes a record, which is not visible. */
  remove(entry: IndexEntry): void {
    this.#all.remove(entry);
  }

  /** The record becomes visible (1), or ceases to be (-1). */
  update(entry: IndexEntry, sign: 1 | -1): void {
    updateList(this.#visible[kindOf(entry.record.id)], entry, sign);
    if (!isPostEntry(entry)) return;
    const { prefix, parentId } = entry.record;
    const name = prefix ?? 'none';
    this.#countByPrefix[name] = (this.#countByPrefix[name] ?? 0) + sign;
    if (parentId === null) this.#threadCount += sign;
  }

  /** @returns the visible records of a kind within a range */
  page(kind: Kind, range: EntryRange): IndexEntry[] {
    return entriesIn(this.#visible[kind], range);
  }

  /** @returns the visible posts of a range */
  posts(range: EntryRange): PostEntry[] {
    return this.page('post', range) as PostEntry[];
  }

  /** @returns whether a record of the kind, hidden or not, has the timestamp */
  hasTimestamp(kind: Kind, at: Timestamp): boolean {
    return this.#all.at(at).some(({ record }) => kindOf(record.id) === kind);
  }

  /** All records, hidden or not, oldest first. */
  records(): AnyRecord[] {
    return this.#all.oldest(this.#all.size).map(({ record }) => record);
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
}
