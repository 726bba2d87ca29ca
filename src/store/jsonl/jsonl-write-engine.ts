import type { Low } from 'lowdb';
import type { Transaction, WriteEngine } from '#store/engine/write-engine.ts';
import { createCommittedState } from '#store/memory/committed-state.ts';
import { StoreFailure, type Lookup } from '#store/store.ts';
import { encodeOperation } from './log/codec.ts';
import type { Kept, Pending } from './log-adapter.ts';
import type { Mutex } from './mutex.ts';
import type { DayKeys } from './visitor-keys.ts';

interface JsonlWriteEngineOptions {
  readonly db: Low<Kept>;
  readonly keys: DayKeys;
  readonly clock: { now: () => number };
  /** Held while the log is read or written. */
  readonly mutex: Mutex;
  /** Called with each failure to write, and with null after each write that succeeded. */
  readonly onOutcome: (error: unknown) => void;
}

/**
 * Decides on the index in memory, once that has caught up with the log, and appends the operations of a batch
 * with one write and one sync.
 */
export class JsonlWriteEngine implements WriteEngine {
  // Lookups in memory cost nothing: only the size of a batch is bounded.
  readonly maxBatchSize = Infinity;
  readonly timeoutMs = Infinity;
  readonly #options: JsonlWriteEngineOptions;

  constructor(options: JsonlWriteEngineOptions) {
    this.#options = options;
  }

  transact(_: readonly Lookup[], decide: (transaction: Transaction) => void): Promise<number> {
    return this.#options.mutex.runExclusive(() => this.#transact(decide));
  }

  retryOf(): 'none' {
    return 'none';
  }

  onFailure(failure: StoreFailure): void {
    this.#options.onOutcome(failure);
  }

  async #transact(decide: (transaction: Transaction) => void): Promise<number> {
    const { db, keys, clock, onOutcome } = this.#options;
    await db.read();
    const now = clock.now();
    let pending = this.#decide(decide, now);
    if (pending === undefined) {
      // Only a write of a client needs the key of the day, so that an operator command creates none.
      const keyError = await keys.prepare(now).then(
        () => new Error('the key of the day is not loaded'),
        (error: unknown) => error as Error,
      );
      pending = this.#decide(decide, now, keyError);
    }
    // From the decision to the append nothing is awaited: no other write of this process comes between.
    db.data.pending = pending ?? [];
    if (db.data.pending.length === 0) return 0;
    await db.write();
    onOutcome(null);
    return db.data.pending.filter(({ stands }) => stands).length;
  }

  /**
   * @param keyError why there may be no key of the day; undefined as long as it was not asked for
   * @returns undefined if a write needs the key of the day, and that was not asked for
   */
  #decide(
    decide: (transaction: Transaction) => void,
    now: number,
    keyError?: Error,
  ): readonly Pending[] | undefined {
    const { db, keys, onOutcome } = this.#options;
    let pending: Pending[] | undefined = [];
    decide({
      committed: createCommittedState(db.data.state, now),
      stage: ({ operation }) => {
        if ('visit' in operation && operation.visit !== undefined && !keys.isPrepared(now)) {
          if (keyError === undefined) {
            pending = undefined;
            return 0;
          }
          onOutcome(keyError);
          throw new StoreFailure('nothing', 'the key of the day could not be made', { cause: keyError });
        }
        const body = encodeOperation(operation, keys);
        pending?.push({ operations: [operation], body, stands: false });
        return body.length;
      },
    });
    return pending;
  }
}
