import { kindOf, type AnyRecord, type Post, type Timestamp } from '#store/records.ts';

/** A record of the index, hidden or not. */
export interface IndexEntry {
  readonly record: AnyRecord;
  /** As in `RecordNumbers`. */
  readonly number: number;
  /** The number of the line that added it. */
  readonly row: number;
  hidden: boolean;
  /** As in `RecordState`. */
  moderatedAt: Timestamp | null;
}

/** An entry of a post. */
export interface PostEntry extends IndexEntry {
  readonly record: Post;
}

export const isPostEntry = (entry: IndexEntry): entry is PostEntry => kindOf(entry.record.id) === 'post';
