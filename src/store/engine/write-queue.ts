import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import type { LookupResults, Lookups } from '#store/port/lookups.ts';
import { StoreFailure, type Decision } from '#store/port/store.ts';
import { BatchOverlay } from './batch-overlay.ts';
import type { WriteTransaction, WriteEngine } from './write-engine.ts';

/** A batch ends with the write that reaches this size. */
const MAX_BATCH_BYTES = 1024 * 1024;
const RETRY_PAUSE_MS = 100;

interface QueuedWrite {
  readonly lookups: Lookups;
  readonly decide: (found: LookupResults) => Decision<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** On the scale of `performance.now()`. */
  readonly deadline: number;
  /** Whether it must be retried alone, since the database refused a batch because of one of its writes. */
  alone: boolean;
}

interface DecidedWrite {
  readonly write: QueuedWrite;
  readonly hasOperation: boolean;
  /** The number of staged operations, including its own. They must be durable before `respond` is called. */
  readonly dependsOn: number;
  readonly respond: () => void;
}

/** Group commit: all waiting writes share one transaction of the engine, with one sync or one commit. */
export class WriteQueue {
  readonly #engine: WriteEngine;
  #waiting: QueuedWrite[] = [];
  #running: Promise<void> | undefined;

  constructor(engine: WriteEngine) {
    this.#engine = engine;
  }

  write<const L extends Lookups, Result>(
    lookups: L,
    decide: (found: LookupResults<L>) => Decision<Result>,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({
        lookups,
        // Safe: each write gets the results of its own lookups.
        decide: decide as unknown as QueuedWrite['decide'],
        resolve: resolve as QueuedWrite['resolve'],
        reject,
        deadline: performance.now() + (this.#engine.timeoutMs ?? Infinity),
        alone: false,
      });
      this.#running ??= this.#run();
    });
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Writes that are submitted in one turn of the event loop share a transaction.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#runBatch(this.#takeBatch());
    this.#running = undefined;
  }

  #takeBatch(): QueuedWrite[] {
    const { maxBatchSize = Infinity } = this.#engine;
    if (this.#waiting[0]?.alone === true) return this.#waiting.splice(0, 1);
    const next = this.#waiting.findIndex(({ alone }, index) => alone || index >= maxBatchSize);
    return this.#waiting.splice(0, next < 0 ? this.#waiting.length : next);
  }

  async #runBatch(batch: readonly QueuedWrite[]): Promise<void> {
    const lookups = batch.flatMap((write) => Object.values(write.lookups).filter((one) => one !== undefined));
    let decided: readonly DecidedWrite[] | undefined;
    const runDecisions = (transaction: WriteTransaction): void => {
      decided = decideInTurn(batch, transaction);
    };
    try {
      const durable = await this.#engine.transact(runDecisions, lookups, batch[0]?.deadline ?? 0);
      const done = respondUpTo(durable, decided ?? []);
      this.#waiting.unshift(...batch.filter((write) => !done.has(write)));
    } catch (error) {
      await this.#fail(batch, decided, error as StoreFailure);
    }
  }

  /** @param decided undefined if the transaction failed before any write was decided */
  async #fail(
    batch: readonly QueuedWrite[],
    decided: readonly DecidedWrite[] | undefined,
    failure: StoreFailure,
  ): Promise<void> {
    const retry = failure.stored === 'nothing' ? this.#engine.retryOf?.(failure) : undefined;
    const inTime = performance.now() + RETRY_PAUSE_MS;
    if (retry === 'batch' || (retry === 'alone' && batch.length > 1)) {
      for (const write of batch) write.alone ||= retry === 'alone';
      const late = batch.filter(({ deadline }) => deadline <= inTime);
      if (late.length > 0) this.#engine.onFailure(failure);
      for (const { reject } of late) reject(failure);
      this.#waiting.unshift(...batch.filter(({ deadline }) => deadline > inTime));
      if (retry === 'batch') await sleep(RETRY_PAUSE_MS);
      return;
    }
    this.#engine.onFailure(failure);
    if (decided === undefined) {
      for (const { reject } of batch) reject(failure);
    } else {
      const done = respondUpTo(0, decided);
      for (const { write, hasOperation } of decided) {
        if (done.has(write)) continue;
        // A write without an operation stores nothing, even if the outcome of the others is unknown.
        write.reject(
          hasOperation
            ? failure
            : new StoreFailure('nothing', 'a write before this one failed', { cause: failure }),
        );
      }
      const decidedWrites = new Set(decided.map(({ write }) => write));
      this.#waiting.unshift(...batch.filter((write) => !decidedWrites.has(write)));
    }
    // A caller whose writes depend on each other can cancel the rest before they are decided.
    await nextTick();
  }
}

function decideInTurn(batch: readonly QueuedWrite[], transaction: WriteTransaction): DecidedWrite[] {
  const overlay = new BatchOverlay(transaction.snapshot);
  const decided: DecidedWrite[] = [];
  let bytes = 0;
  let dependsOn = 0;
  for (const write of batch) {
    if (bytes >= MAX_BATCH_BYTES) break;
    let hasOperation = false;
    let respond: () => void;
    try {
      const { result, operation } = write.decide(overlay.lookUp(write.lookups));
      if (operation !== undefined) {
        const staged = overlay.prepare(write.lookups, operation);
        bytes += transaction.stage(staged);
        overlay.apply(staged);
        hasOperation = true;
        dependsOn += 1;
      }
      respond = () => {
        write.resolve(result);
      };
    } catch (error) {
      respond = () => {
        write.reject(error);
      };
    }
    decided.push({ write, hasOperation, dependsOn, respond });
  }
  return decided;
}

/** Responds to the writes whose decisions depend only on durable operations. @returns these writes */
function respondUpTo(durable: number, decided: readonly DecidedWrite[]): Set<QueuedWrite> {
  const done = decided.filter(({ dependsOn }) => dependsOn <= durable);
  for (const { respond } of done) respond();
  return new Set(done.map(({ write }) => write));
}
