import type { ClientAndKind, WriteEntry } from './write-history.ts';
import type { Kind, Timestamp } from '#store/records.ts';
import type { LimitScope, RecordView } from '#store/store.ts';

type MaybePromise<T> = T | Promise<T>;

/**
 * The durable state that a batch of writes is decided on: the index in memory, or a database that is locked
 * against other writers.
 */
export interface CommittedState {
  /** The latest timestamp of any operation; null in an empty store. */
  readonly lastTimestamp: Timestamp | null;
  readonly frozen: boolean;
  /** @returns the record, hidden or not; undefined if it is unknown or erased */
  find(id: string): MaybePromise<(RecordView & { hidden: boolean }) | undefined>;
  isErased(id: string): MaybePromise<boolean>;
  /** @returns whether a record of the kind, hidden or not, has the timestamp */
  hasTimestamp(kind: Kind, at: Timestamp): MaybePromise<boolean>;
  /** @returns undefined if no moderation has the timestamp, any other value if one has */
  moderationAt(at: Timestamp): MaybePromise<unknown>;
  /** Signatures as in `WriteHistory`. */
  readonly writeHistory: {
    recentWrites(
      clientKey: string,
      limitScope: LimitScope,
      now: number,
      windowMs: number,
      limit: number,
    ): MaybePromise<readonly Pick<WriteEntry, 'at'>[]>;
    findByKey(
      scope: ClientAndKind,
      key: string,
      now: number,
      windowMs: number,
    ): MaybePromise<Pick<WriteEntry, 'id' | 'content'> | undefined>;
    findByContent(
      scope: ClientAndKind,
      content: string,
      now: number,
      windowMs: number,
    ): MaybePromise<Pick<WriteEntry, 'id'> | undefined>;
  };
}
