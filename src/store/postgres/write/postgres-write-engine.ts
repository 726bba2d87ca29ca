import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { WriteTransaction, WriteEngine } from '#store/engine/write-engine.ts';
import { StoreFailure } from '#store/port/store.ts';
import type { Lookup } from '#store/port/lookups.ts';
import {
  openPipelinedConnection,
  type Connection,
  type DatabaseOptions,
} from '#store/postgres/connection/connect.ts';
import {
  isDiskFull,
  isRetryable,
  reportTrouble,
  toFailure,
  describeStorageError,
} from '#store/postgres/connection/errors.ts';
import { Transaction } from '#store/postgres/connection/transaction.ts';
import type { ChangeListener } from '#store/postgres/notify/listener.ts';
import type { DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import { vacuum } from '#store/postgres/schema/maintenance.ts';
import type { ClientTags } from '#store/postgres/schema/client-tags.ts';
import { readSnapshot } from './snapshot.ts';
import { BatchPersister, type BatchTrace } from './persist.ts';

/** Pause between two attempts to find out whether a transaction was committed. */
const RETRY_PAUSE_MS = 100;

/** Takes about as much space as a long post, since MD5 sums cannot be compressed. */
const STORE_AND_REMOVE = `insert into entry (id, kind, created_at, hidden, body, arrival)
    select 'space', 'space', '', true, to_json(string_agg(md5(random()::text), '')), 0
    from generate_series(1, 500);
  delete from entry where id = 'space'`;

interface PostgresWriteEngineOptions {
  readonly database: DatabaseOptions;
  readonly pool: pg.Pool;
  readonly clock: DatabaseClock;
  readonly tags: ClientTags;
  readonly listener: Pick<ChangeListener, 'publishLocal'>;
  /** Logs a message for the operator when writes begin to be refused, and when they no longer are. */
  readonly report: (what: string) => void;
}

/** Decides a batch under the lock of the clock row, in two round trips: lookups, then changes and commit. */
export class PostgresWriteEngine implements WriteEngine {
  // During a larger batch the other instances would wait too long.
  readonly maxBatchSize = 500;
  readonly timeoutMs: number;
  readonly #options: PostgresWriteEngineOptions;
  readonly #onOutcome: (error: unknown) => void;
  #connection: Connection | undefined;
  /** Whether the database had no space for a batch, and has stored nothing since. */
  #lacksSpace = false;

  constructor(options: PostgresWriteEngineOptions) {
    this.#options = options;
    this.#onOutcome = reportTrouble(options.report, 'writes are refused', 'writes are accepted again');
    this.timeoutMs = options.database.timeouts.callMs;
  }

  async transact(
    runDecisions: (transaction: WriteTransaction) => void,
    lookups: readonly Lookup[],
    deadline: number,
  ): Promise<number> {
    const { database, pool, clock, tags, listener, report } = this.#options;
    let transaction: Transaction | undefined;
    try {
      await tags.prepare(pool, clock.now());
      this.#connection ??= await openPipelinedConnection(database, deadline);
      transaction = new Transaction(this.#connection, deadline);
      const { head, snapshot } = await readSnapshot({ transaction, clock, tags }, lookups);
      const persister = new BatchPersister(head, tags);
      runDecisions({ snapshot, stage: (staged) => persister.stage(staged) });
      if (persister.operations.length === 0) {
        await transaction.rollBack();
      } else {
        persister.send(transaction, database.schema);
        await this.#commit(transaction, persister.trace, deadline);
        listener.publishLocal(persister.notices);
        if (persister.hasErased) await vacuum(database, report);
        this.#lacksSpace = false;
      }
      if (!this.#lacksSpace) this.#onOutcome(null);
      return persister.operations.length;
    } catch (error) {
      this.#disconnect();
      const failure = toFailure(error instanceof StoreFailure ? error : (transaction?.failure ?? error));
      this.#lacksSpace ||= isDiskFull(failure.cause);
      throw failure;
    }
  }

  /** After a lost connection the batch may succeed. If the database refuses it, one write is at fault. */
  retryOf(failure: StoreFailure): 'batch' | 'alone' {
    return isRetryable(failure.cause) ? 'batch' : 'alone';
  }

  onFailure(failure: StoreFailure): void {
    this.#onOutcome(failure.cause);
  }

  /**
   * If the database had no space for a batch, proves that it has space again. A transaction that changes
   * nothing would not prove it.
   * @throws errors of the driver
   */
  async proveSpace(): Promise<void> {
    if (!this.#lacksSpace) return;
    await this.#options.pool.query(STORE_AND_REMOVE);
    this.#lacksSpace = false;
  }

  async close(): Promise<void> {
    // A database that does not respond does not close the connection either.
    await Promise.race([
      this.#connection?.client.end().catch(() => undefined),
      sleep(this.#options.database.timeouts.closeMs, undefined, { ref: false }),
    ]);
    this.#disconnect();
  }

  /** @throws StoreFailure if the outcome is unknown; errors of the driver if nothing was stored */
  async #commit(transaction: Transaction, batch: BatchTrace, deadline: number): Promise<void> {
    let isStored: boolean;
    let cause: unknown;
    try {
      // If the response is lost, `#findOut` has the second half of the time.
      isStored = await transaction.commit((performance.now() + deadline) / 2);
      cause = transaction.failure;
    } catch (error) {
      this.#disconnect();
      cause = error;
      isStored = await this.#findOut(batch, deadline, error);
    }
    if (!isStored) throw cause as Error;
  }

  /**
   * @returns whether a batch whose response was lost is committed
   * @throws StoreFailure if the database does not respond until the deadline
   */
  async #findOut(batch: BatchTrace, deadline: number, cause: unknown): Promise<boolean> {
    while (performance.now() < deadline) {
      try {
        this.#connection = await openPipelinedConnection(this.#options.database, deadline);
        const transaction = new Transaction(this.#connection, deadline);
        const isStored = await isCommitted(transaction, batch);
        await transaction.rollBack();
        return isStored;
      } catch {
        this.#disconnect();
        await sleep(RETRY_PAUSE_MS);
      }
    }
    throw new StoreFailure('unknown', describeStorageError(cause), { cause });
  }

  #disconnect(): void {
    this.#connection?.socket.destroy();
    this.#connection = undefined;
  }
}

/**
 * Finds out whether a batch whose response was lost is committed. It waits for the lock, and so for every
 * earlier transaction. Neither the status nor the record is proof alone: a crashed database reuses the id of a
 * lost transaction, and another instance may have imported the same records.
 * @example
 *   await isCommitted(transaction, { transactionId: '741', id: 'post_1', arrival: 9, frozenAt: null });
 *   // false if transaction 741 is of another instance, whose ninth operation adds post_2
 */
export async function isCommitted(
  transaction: Pick<Transaction, 'query'>,
  { transactionId, id, arrival, frozenAt }: BatchTrace,
): Promise<boolean> {
  const [row] = await transaction.query<{ stored: boolean | null }>(
    `select pg_xact_status($1::xid8) = 'committed' and (
      exists (select from entry where id = $2 and arrival = $3)
      or exists (select from moderation where id = $2 and $3 in (arrival, erased_arrival))
      or exists (select from clock where freeze_changed_at >= $4)
    ) as stored`,
    [transactionId, id, arrival, frozenAt],
  );
  return row?.stored === true;
}
