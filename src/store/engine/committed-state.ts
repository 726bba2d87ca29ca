import type { WriterScope, WriteEntry } from './write-history.ts';
import type { Kind, Stamp } from '#store/records.ts';
import type { Budget, RecordView } from '#store/store.ts';

type MaybePromise<T> = T | Promise<T>;

/** What is durable, as works are decided on it: the state in memory, or a database in which nobody else writes meanwhile. */
export interface CommittedState {
  /** The latest stamp given. */
  readonly lastTimestamp: Stamp | null;
  readonly frozen: boolean;
  /** @returns the record, hidden or not. */
  find(id: string): MaybePromise<(RecordView & { hidden: boolean }) | undefined>;
  /** @returns whether an operator erased the record. */
  erased(id: string): MaybePromise<boolean>;
  /** @returns whether a record of that kind has that stamp already. */
  hasTimestamp(kind: Kind, at: Stamp): MaybePromise<boolean>;
  /** @returns anything but undefined where a moderation has that stamp already. */
  moderationAt(at: Stamp): MaybePromise<unknown>;
  readonly history: {
    recentWrites(
      visitor: string,
      budget: Budget,
      now: number,
      span: number,
      limit: number,
    ): MaybePromise<readonly Pick<WriteEntry, 'at'>[]>;
    withKey(
      scope: WriterScope,
      key: string,
      now: number,
      span: number,
    ): MaybePromise<Pick<WriteEntry, 'id' | 'content'> | undefined>;
    withContent(
      scope: WriterScope,
      content: string,
      now: number,
      span: number,
    ): MaybePromise<Pick<WriteEntry, 'id'> | undefined>;
  };
}
