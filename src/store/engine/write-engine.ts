import type {
  EarlierWriteLookup,
  ErasedRecord,
  LaterStep,
  LaterStepsLookup,
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
 * What an engine answers to the lookups of a batch, by what is durable as the batch begins: a folder from its
 * state in memory, PostgreSQL from one statement under the lock of the clock row.
 * @example
 *   snapshot.record('post_1'); // { status: 'visible', kind: 'post', children: 2, moderatedAt: null, … }
 *   snapshot.earlierWrite(lookup); // { id: 'post_2', content, record, … }: an earlier call has published post_2
 */
export interface Snapshot {
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: number;
  /** The latest timestamp of any operation; null in an empty store. */
  readonly lastTimestamp: Timestamp | null;
  readonly frozen: boolean;
  /** @param id of a lookup, of a record that `earlierWrite` found, or of the parent of one */
  record(id: string): RecordState | ErasedRecord | undefined;
  /** @param id as of `record` @returns undefined unless something of the record arrived before it */
  awaited(id: string): AwaitedRecord | undefined;
  /** @returns the times of the writes in milliseconds since 1970, newest first */
  recentWriteTimes(lookup: RecentWriteAgesLookup): readonly number[];
  earlierWrite(lookup: EarlierWriteLookup): EarlierWrite | undefined;
  exists(lookup: RecordTimestampLookup | ModerationLookup): boolean;
  laterSteps(lookup: LaterStepsLookup): readonly LaterStep[];
}

export interface EarlierWrite extends Pick<WriteEntry, 'id' | 'at' | 'content'> {
  /** Of an idempotent hit, unless it is erased. */
  readonly record: AnyRecord | undefined;
}

export interface StagedOperation {
  readonly operation: Operation;
  /** What it adds, or what it moderates as it was before; undefined if there is none. */
  readonly record: RecordState | undefined;
}

export interface Transaction {
  readonly snapshot: Snapshot;
  /** @returns about how many bytes it takes @throws StoreFailure if it cannot be stored; the others can */
  stage(staged: StagedOperation): number;
}

/** How an engine looks up and stores the writes of a batch. The queue runs one transaction at a time. */
export interface WriteEngine {
  readonly maxBatchSize: number;
  /** How long a write may take from `WriteQueue.write` to its outcome, retries included. */
  readonly timeoutMs: number;
  /**
   * Answers the lookups, calls `decide`, and commits the staged operations.
   * @param decide may be called several times before the commit; the last call counts
   * @param deadline on the scale of `performance.now()`
   * @returns how many of the staged operations, from the first on, are durable. The others lost a race
   *   against another process, and have to be decided again
   * @throws StoreFailure, which applies to all staged operations
   */
  transact(
    lookups: readonly Lookup[],
    decide: (transaction: Transaction) => void,
    deadline: number,
  ): Promise<number>;
  /** What to do after a transaction that stored nothing: repeat it, repeat each write alone, or give up. */
  retryOf(failure: StoreFailure): 'batch' | 'alone' | 'none';
  /** Called with each failure that a caller gets. */
  onFailure(failure: StoreFailure): void;
}
