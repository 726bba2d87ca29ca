import type pg from 'pg';
import { StoreFailure, type Change, type Store, type WriteSource } from '#store/port/store.ts';
import { ChangeListener } from './notify/listener.ts';
import {
  type DatabaseOptions,
  openPool,
  requireSessions,
  TIMEOUTS,
  type Timeouts,
} from './connection/connect.ts';
import { notifyListeners } from '#store/engine/notify-listeners.ts';
import { DAY_MS } from '#store/engine/timestamp.ts';
import { WriteQueue } from '#store/engine/write-queue.ts';
import { PostgresWriteEngine } from './write/postgres-write-engine.ts';
import { DatabaseClock } from './connection/database-clock.ts';
import { ClientTags, readSecrets, type SecretOptions } from './schema/client-tags.ts';
import { migrate } from './schema/migrations.ts';
import type { ListenPosition } from './notify/changes.ts';
import { createReader } from './read/reader.ts';
import { createReadRevision, createRunQuery, createSizeReader, readRow } from './read/run-query.ts';
import { toFailure } from './connection/errors.ts';
import { startPruning } from './schema/maintenance.ts';

export interface PostgresStoreOptions extends SecretOptions {
  readonly url: string;
  /** The schema of the store. Each schema is a separate store. */
  readonly schema?: string;
  /** Wall-clock time in milliseconds since 1970; by default the clock of the database. */
  readonly clock?: { now: () => number };
  /** Logs a message for the operator, without the password. */
  readonly report: (what: string) => void;
  /** Rejects a database without a store instead of creating the store. */
  readonly mustExist?: boolean;
  /** Replace values of `TIMEOUTS`. */
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
    return await createStore(options, database, pool);
  } catch (error) {
    await pool.end();
    throw toFailure(error);
  }
}

// A client has the same tags only on one day. Only a command runs this, so there is no index by id.
const FIND_WRITER = `select client as sealed, network as "sealedNetwork", at,
    (select count(*)::integer from write_history where client = found.client) as writes,
    (select count(*)::integer from write_history
      where floor(at / ${DAY_MS}) = floor(found.at / ${DAY_MS})) as "allWrites"
  from write_history as found where id = $1 limit 1`;

const POSITION = `select last, revision::float8,
  extract(epoch from clock_timestamp())::float8 * 1000 as now from clock`;

async function createStore(
  options: PostgresStoreOptions,
  database: DatabaseOptions,
  pool: pg.Pool,
): Promise<Store> {
  const { report } = options;
  const { timeouts } = database;
  const runQuery = createRunQuery(pool, timeouts);
  const { now, ...position } = await readRow<ListenPosition & { now: number }>(runQuery, 'now', POSITION);
  const clock = new DatabaseClock(now, () => options.clock?.now());
  const tags = new ClientTags(await readSecrets(options, pool));
  const listeners = new Set<(change: Change) => void>();
  const onChange = (change: Change): void => {
    notifyListeners(listeners, change, report);
  };
  const listener = new ChangeListener({ database, onChange, report }, position);
  const engine = new PostgresWriteEngine({ database, pool, clock, tags, listener, report });
  const queue = new WriteQueue(engine);
  const readRevision = createReadRevision(runQuery, timeouts.optionalReadMs);
  const size = createSizeReader(runQuery);
  const pruning = startPruning(pool, clock, tags);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    pruning.stop();
    await Promise.all([queue.idle().then(() => engine.close()), listener.close()]);
    await pool.end();
  };
  await size.refresh();
  return {
    read: createReader({ runQuery, pool, clock, tags, timeouts }),
    remainsAfterErase:
      'PostgreSQL keeps its bytes in the free space of a page until a later row is written there, in the ' +
      'write-ahead log and its archives, and on standbys. Backups and exports made before still hold it.',
    revision: () => (closing === undefined ? readRevision() : undefined),
    write: (lookups, decide) =>
      closing === undefined
        ? queue.write(lookups, decide)
        : Promise.reject(new StoreFailure('nothing', 'the store is closed')),
    watch: (watcher) => {
      listeners.add(watcher);
      return () => listeners.delete(watcher);
    },
    findWriteSource: async (id) => {
      const [row] = await runQuery<Omit<WriteSource, 'isFrom'>>('writer', FIND_WRITER, [id]);
      if (row === undefined) return undefined;
      await tags.load(clock.now());
      const isFrom = (clientKey: string): boolean =>
        tags.ofWindow(row.at, 0).some((day) => day.tag('client', clientKey) === row.sealed);
      return { ...row, isFrom };
    },
    forgetClients: async () => {
      try {
        return { destroyed: await pruning.run(), unit: 'rows' };
      } catch (error) {
        throw toFailure(error);
      }
    },
    sizeInBytes: size.read,
    // Locks the row of `clock`, as every write does.
    health: async () => {
      const writing = engine.proveSpace().then(() => queue.write({}, () => ({ result: null })));
      const reason = await writing.catch((error: unknown) => toFailure(error).message);
      return { writable: reason === null, reason, notifying: listener.isListening };
    },
    close: () => (closing ??= close()),
  };
}
