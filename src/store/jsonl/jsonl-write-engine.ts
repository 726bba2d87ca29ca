import type { Low } from 'lowdb';
import type { Transaction, WriteEngine } from '#store/engine/write-engine.ts';
import { createCommittedState } from '#store/memory/committed-state.ts';
import type { RecordIndex } from '#store/memory/record-index.ts';
import { StoreFailure, type Lookup } from '#store/port/store.ts';
import { toStored } from './log/codec.ts';
import type { StoredOperation } from './log/line.ts';
import type { LogAdapter, NewOperation } from './log-adapter.ts';
import type { Mutex } from './mutex.ts';

/** About what place, checksum and encrypted write entry add to the texts of a line. */
const LINE_BYTES = 400;

interface JsonlWriteEngineOptions {
  readonly db: Low<RecordIndex>;
  readonly adapter: LogAdapter;
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
    const { db, adapter, clock, onOutcome } = this.#options;
    await db.read();
    await adapter.prepareToAppend();
    const now = clock.now();
    let operations = this.#decide(decide, now);
    if (operations === undefined) {
      // Only a write of a client needs the key of the day, so that an operator command creates none.
      const keyError = await adapter.keys.prepare(now).then(
        () => new Error('the key of the day is not loaded'),
        (error: unknown) => error as Error,
      );
      operations = this.#decide(decide, now, keyError) ?? [];
    }
    // From the decision to the append nothing is awaited, unless a text is erased: no other write of this
    // process comes between.
    if (operations.length === 0) return 0;
    const durable = await adapter.append(operations);
    onOutcome(null);
    return durable;
  }

  /**
   * @param keyError why there may be no key of the day; undefined as long as it was not asked for
   * @returns undefined if a write needs the key of the day, and that was not asked for
   */
  #decide(
    decide: (transaction: Transaction) => void,
    now: number,
    keyError?: Error,
  ): readonly NewOperation[] | undefined {
    const { adapter, onOutcome } = this.#options;
    const isPrepared = adapter.keys.isPrepared(now);
    let operations: NewOperation[] | undefined = [];
    decide({
      committed: createCommittedState(adapter.index, now),
      stage: ({ operation }) => {
        if ('writeEntry' in operation && operation.writeEntry !== undefined && !isPrepared) {
          if (keyError === undefined) {
            operations = undefined;
            return 0;
          }
          onOutcome(keyError);
          throw new StoreFailure('nothing', 'the key of the day could not be made', { cause: keyError });
        }
        const stored = toStored(operation, adapter.keys);
        operations?.push({ operation, stored });
        return LINE_BYTES + textLength(stored);
      },
    });
    return operations;
  }
}

/** @returns about how many bytes the texts of a record take */
function textLength(stored: StoredOperation): number {
  if (!('add' in stored)) return 0;
  const texts = Object.values(stored.record).filter((value) => typeof value === 'string');
  return texts.reduce((length, text) => length + text.length, 0);
}
