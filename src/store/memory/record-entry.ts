import type { SortedList } from '#store/engine/sorted-list.ts';
import { kindOf, type AnyRecord, type Post, type Timestamp } from '#store/records.ts';

/** A record of the index, hidden or not. */
export interface IndexEntry {
  readonly record: AnyRecord;
  /** Of a post, as in `PostLinks`. */
  readonly number: number;
  /** The number of the line that added it. */
  readonly row: number;
  hidden: boolean;
  /** As in `RecordState`. */
  moderatedAt: Timestamp | null;
  /** Visible replies or notes; created with the first one. */
  children: SortedList<IndexEntry, Timestamp> | undefined;
}

/** An entry of a post. */
export interface PostEntry extends IndexEntry {
  readonly record: Post;
}

export const isPostEntry = (entry: IndexEntry): entry is PostEntry => kindOf(entry.record.id) === 'post';
