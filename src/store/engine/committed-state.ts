import type { AnyRecord, Timestamp } from '#store/port/records.ts';
import type { AwaitedRecord } from './record-state.ts';
import type {
  ErasedRecord,
  IdempotentHitLookup,
  LastOfThreadLookup,
  ModerationLookup,
  RecentDuplicateLookup,
  RecentWriteAgesLookup,
  RecordState,
  RecordTimestampLookup,
} from '#store/port/store.ts';

/**
 * The durable state that a batch of writes is decided on: the index in memory, or what a database answered
 * under its lock. It knows the answers to the lookups of the batch.
 */
export interface CommittedState {
  /** Wall-clock time in milliseconds since 1970. */
  readonly now: number;
  /** The latest timestamp of any operation; null in an empty store. */
  readonly lastTimestamp: Timestamp | null;
  readonly frozen: boolean;
  /** @param id of a lookup, of a record that `findByKey` or `findByContent` found, or of the parent of one */
  record(id: string): RecordState | ErasedRecord | undefined;
  /** @param id as of `record` @returns undefined unless something of the record arrived before it */
  awaited(id: string): AwaitedRecord | undefined;
  /** @returns the times of the writes in milliseconds since 1970, newest first */
  recentWriteTimes(lookup: RecentWriteAgesLookup): readonly number[];
  /** @returns the write, with its record unless that is erased */
  findByKey(
    lookup: IdempotentHitLookup,
  ): { readonly id: string; readonly content: string; readonly record: AnyRecord | undefined } | undefined;
  /** @returns the latest of these writes; `at` in milliseconds since 1970 */
  findByContent(lookup: RecentDuplicateLookup): { readonly id: string; readonly at: number } | undefined;
  hasTimestamp(lookup: RecordTimestampLookup): boolean;
  lastOfThread(lookup: LastOfThreadLookup): Timestamp | undefined;
  hasModeration(lookup: ModerationLookup): boolean;
}
