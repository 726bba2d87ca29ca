import type {
  EarlierWriteLookup,
  ErasedRecord,
  LaterPost,
  LaterPostsLookup,
  Lookup,
  ModerationLookup,
  RecentWriteAgesLookup,
  RecordState,
  RecordTimestampLookup,
} from '#store/port/lookups.ts';
import type { AnyRecord, Timestamp } from '#store/port/records.ts';
import type { StoreFailure } from '#store/port/store.ts';
import type { Operation, AwaitedRecord } from './operation.ts';
import type { WriteEntry } from './write-history.ts';

/**
 * What the lookups of a batch find in what is durable when the batch begins. A folder reads its state in
 * memory, PostgreSQL runs one statement while it holds the lock on the clock row.
 * @example
 *   snapshot.record('post_1'); // { status: 'visible', kind: 'post', children: 2, moderatedAt: null, … }
 *   snapshot.earlierWrite(lookup); // { id: 'post_2', content, record, … }: an earlier call published it
 */
export interface Snapshot {
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: number;
  /** The latest timestamp of any operation; null in an empty store. */
  readonly lastTimestamp: Timestamp | null;
  readonly frozen: boolean;
  /** @param id named by a lookup; or of a record that `earlierWrite` found, or of its parent */
  record(id: string): RecordState | ErasedRecord | undefined;
  /** @param id as for `record` @returns undefined unless moderations or children arrived before the record */
  awaited(id: string): AwaitedRecord | undefined;
  /** @returns the times of the writes in milliseconds since 1970, newest first */
  recentWriteTimes(lookup: RecentWriteAgesLookup): readonly number[];
  earlierWrite(lookup: EarlierWriteLookup): EarlierWrite | undefined;
  exists(lookup: RecordTimestampLookup | ModerationLookup): boolean;
  laterPosts(lookup: LaterPostsLookup): readonly LaterPost[];
}

export interface EarlierWrite extends Pick<WriteEntry, 'id' | 'atMs' | 'content'> {
  /** The record of an idempotent hit; undefined if it is erased, and for a recent duplicate. */
  readonly record: AnyRecord | undefined;
}

export interface StagedOperation {
  readonly operation: Operation;
  /** The record that it adds, or the record before it moderates it; undefined if there is none. */
  readonly record: RecordState | undefined;
}

export interface WriteTransaction {
  readonly snapshot: Snapshot;
  /** @returns the approximate size in bytes @throws StoreFailure if the operation can never be stored */
  stage(staged: StagedOperation): number;
}

/** How an engine looks up and stores the writes of a batch. The queue runs one transaction at a time. */
export interface WriteEngine {
  /** The maximum number of writes in a batch. By default only its bytes are limited. */
  readonly maxBatchSize?: number;
  /** How long a write may take from `WriteQueue.write` to its outcome, retries included. Default: forever. */
  readonly timeoutMs?: number;
  /**
   * Runs the lookups, calls `runDecisions`, and commits the staged operations.
   * @param runDecisions decides the writes of the batch in turn, and stages what they store. It may be called
   *   several times before the commit; the last call counts
   * @param deadline on the scale of `performance.now()`
   * @returns how many of the staged operations, from the first on, are durable. The others lost a race
   *   against another process, and have to be decided again
   * @throws StoreFailure, which applies to all staged operations
   */
  transact(
    runDecisions: (transaction: WriteTransaction) => void,
    lookups: readonly Lookup[],
    deadline: number,
  ): Promise<number>;
  /** After a transaction that stored nothing: repeat it, repeat each write alone or, by default, give up. */
  retryOf?(failure: StoreFailure): 'batch' | 'alone' | 'none';
  /** Called with each failure that is passed to a caller. */
  onFailure(failure: StoreFailure): void;
}
