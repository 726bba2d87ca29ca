import type { Lookup, RecordState, StoreFailure } from '#store/port/store.ts';
import type { CommittedState } from './committed-state.ts';
import type { Operation } from './operation.ts';

/** An accepted operation on its way into the storage. */
export interface StagedOperation {
  readonly operation: Operation;
  /** The record that it adds, or moderates as it was before; undefined if there is none. */
  readonly record: RecordState | undefined;
}

/** What `WriteEngine.transact` hands out while no other process can write, or its writes would be noticed. */
export interface Transaction {
  readonly committed: CommittedState;
  /**
   * Adds an operation to what will be committed.
   * @returns about how many bytes it takes
   * @throws StoreFailure if it cannot be stored; the others can
   */
  stage(staged: StagedOperation): number;
}

/** How an engine looks up and stores the writes of a batch. The queue runs one transaction at a time. */
export interface WriteEngine {
  /** How many writes one transaction may decide. */
  readonly maxBatchSize: number;
  /** How long a write may take from `WriteQueue.write` to its outcome, retries included. */
  readonly timeoutMs: number;
  /**
   * Looks up, calls `decide`, and commits what that staged.
   * @param decide may be called again, before anything is committed; the last call counts
   * @param deadline on the scale of `performance.now()`
   * @returns how many of the staged operations are durable, the first ones; the others lost the race against
   *   another process and are to be decided again
   * @throws StoreFailure for all that was staged
   */
  transact(
    lookups: readonly Lookup[],
    decide: (transaction: Transaction) => void,
    deadline: number,
  ): Promise<number>;
  /** What to do after a transaction that stored nothing: repeat it, repeat each write alone, or give up. */
  retryOf(failure: StoreFailure): 'batch' | 'alone' | 'none';
  /** Is called with each failure that a caller gets. */
  onFailure(failure: StoreFailure): void;
}
