import type pg from 'pg';
import {
  StoreFailure,
  type Change,
  type Forgotten,
  type Health,
  type Reader,
  type Revision,
  type Store,
  type Writer,
} from '#store/port/store.ts';
import { ChangeListener } from './notify/listener.ts';
import { type DatabaseOptions, openPool, TIMEOUTS, type Timeouts } from './connection/connect.ts';
import { notifyListeners } from '#store/engine/notify-listeners.ts';
import { DAY_MS } from '#store/engine/timestamp.ts';
import { WriteQueue } from '#store/engine/write-queue.ts';
import { PostgresWriteEngine } from './write/postgres-write-engine.ts';
import { requireSessions } from './connection/session-check.ts';
import { DatabaseClock } from './connection/database-clock.ts';
import { ClientTags, readSecrets, type SecretOptions } from './schema/client-tags.ts';
import { migrate } from './schema/migrations.ts';
import { type ListenPosition, readPosition } from './notify/changes.ts';
import { createReadRevision } from './read/revision.ts';
import { createReader, type ReaderOptions } from './read/reader.ts';
import { createRunQuery, type RunQuery } from './read/run-query.ts';
import { createSizeReader } from './read/size.ts';
import { toFailure } from './connection/errors.ts';
import { startPruning } from './schema/maintenance.ts';

export interface PostgresStoreOptions extends SecretOptions {
  readonly url: string;
  /** The schema that holds the store; another one is another store. */
  readonly schema?: string;
  /** Wall-clock time in milliseconds since 1970; by default that of the database. */
  readonly clock?: { now: () => number };
  /** Logs a message for the operator, without the password. */
  readonly report: (what: string) => void;
  /** Refuses a database without a store instead of creating one. */
  readonly mustExist?: boolean;
  /** Replace those of `TIMEOUTS`. */
  readonly timeouts?: Partial<Timeouts>;
}

/** Opens the store, or creates it. Any number of instances may have it open. @throws StoreFailure */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, schema = 'porchlight', report } = options;
  const database = { url, schema, timeouts: { ...TIMEOUTS, ...options.timeouts } };
  const pool = openPool(database, report);
  try {
    await requireSessions(database);
    await migrate(database, options.mustExist ?? false);
    const store = new PostgresStore({
      report,
      database,
      pool,
      position: await readPosition(pool),
      clock: await DatabaseClock.read(pool, () => options.clock?.now()),
      tags: new ClientTags(await readSecrets(options, pool)),
    });
    await store.size.refresh();
    return store;
  } catch (error) {
    await pool.end();
    throw toFailure(error);
  }
}

// The tags of a client are equal on one day only. A command runs it, once; there is no index by id.
const FIND_WRITER = `select client as sealed, network as "sealedNetwork", at,
    (select count(*)::integer from write_history where client = found.client) as writes,
    (select count(*)::integer from write_history
      where floor(at / ${DAY_MS}) = floor(found.at / ${DAY_MS})) as "allWrites"
  from write_history as found where id = $1 limit 1`;

interface StoreParts extends Omit<ReaderOptions, 'runQuery' | 'timeouts'> {
  readonly report: (what: string) => void;
  readonly database: DatabaseOptions;
  readonly position: ListenPosition;
}

class PostgresStore implements Store {
  readonly read: Reader;
  readonly remainsAfterErase =
    'PostgreSQL keeps its bytes in the free space of a page until a later row is written there, in the ' +
    'write-ahead log and its archives, and on standbys. Backups and exports made before still hold it.';
  readonly size: ReturnType<typeof createSizeReader>;
  readonly #pool: pg.Pool;
  readonly #tags: ClientTags;
  readonly #runQuery: RunQuery;
  readonly #engine: PostgresWriteEngine;
  readonly #queue: WriteQueue;
  readonly #changeListener: ChangeListener;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #pruning: ReturnType<typeof startPruning>;
  readonly #readRevision: () => Promise<Revision>;
  #closing: Promise<void> | undefined;

  constructor({ report, database, pool, position, clock, tags }: StoreParts) {
    const { timeouts } = database;
    this.#pool = pool;
    const onChange = (change: Change): void => {
      notifyListeners(this.#listeners, change, report);
    };
    const listener = new ChangeListener({ database, onChange, report }, position);
    this.#changeListener = listener;
    this.#engine = new PostgresWriteEngine({ database, pool, clock, tags, listener, report });
    this.#queue = new WriteQueue(this.#engine);
    const runQuery = createRunQuery(pool, timeouts);
    this.#tags = tags;
    this.#runQuery = runQuery;
    this.read = createReader({ runQuery, pool, clock, tags, timeouts });
    this.size = createSizeReader(runQuery);
    this.#readRevision = createReadRevision(runQuery, timeouts.optionalReadMs);
    this.#pruning = startPruning(pool, clock, tags);
  }

  revision(): Promise<Revision> | undefined {
    return this.#closing === undefined ? this.#readRevision() : undefined;
  }

  readonly write: Store['write'] = (lookups, decide) =>
    this.#closing === undefined
      ? this.#queue.write(lookups, decide)
      : Promise.reject(new StoreFailure('nothing', 'the store is closed'));

  watch(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async findWriter(id: string): Promise<Writer | undefined> {
    const [row] = await this.#runQuery<Omit<Writer, 'isFrom'>>('writer', FIND_WRITER, [id]);
    if (row === undefined) return undefined;
    const { sealed, at } = row;
    const isFrom = (clientKey: string): boolean =>
      this.#tags.ofWindow(at, 0).some((day) => day.tag('client', clientKey) === sealed);
    return { ...row, isFrom };
  }

  async forgetClients(): Promise<Forgotten> {
    try {
      return { destroyed: await this.#pruning.run(), unit: 'rows' };
    } catch (error) {
      throw toFailure(error);
    }
  }

  sizeInBytes(): number | undefined {
    return this.size.read();
  }

  /** Locks the row of `clock`, as every write does. */
  async health(): Promise<Health> {
    const proving = this.#engine.proveSpace();
    const writing = proving.then(() => this.#queue.write({}, () => ({ answer: null })));
    const reason = await writing.catch((error: unknown) => toFailure(error).message);
    return { writable: reason === null, reason, notifying: this.#changeListener.isListening };
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#pruning.stop();
    await Promise.all([this.#queue.idle().then(() => this.#engine.close()), this.#changeListener.close()]);
    await this.#pool.end();
  }
}
