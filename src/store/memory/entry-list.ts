import { SortedList } from '#store/engine/sorted-list.ts';
import type { Timestamp } from '#store/records.ts';
import type { Range } from '#store/store.ts';
import type { IndexEntry } from './record-entry.ts';

/** Entries in the order of time. */
export type EntryList = SortedList<IndexEntry, Timestamp>;

export type EntryRange = Pick<Range, 'order' | 'limit' | 'before' | 'after'>;

export const createEntryList = (): EntryList => new SortedList((entry) => entry.record.createdAt);

/** Adds an entry (1), or removes it (-1). */
export function updateList(list: EntryList, entry: IndexEntry, sign: 1 | -1): void {
  if (sign === 1) list.add(entry);
  else list.remove(entry);
}

/** @returns the entries of a range, in its order */
export function entriesIn(list: EntryList, { order, limit, before, after }: EntryRange): IndexEntry[] {
  return order === 'newest' ? list.newest(limit, before, after) : list.oldest(limit, before, after);
}
