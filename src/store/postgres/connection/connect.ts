import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import pg from 'pg';
import { StoreFailure } from '#store/port/store.ts';
import { quoteError } from './errors.ts';

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`, perhaps with parameters of libpq. */
  readonly url: string;
  readonly schema: string;
  readonly timeouts: Timeouts;
}

export const POOL_SIZE = 8;

const SETTINGS = {
  // PostgreSQL caches plans, and one made while a table is empty would scan all of it.
  enable_seqscan: 'off',
  // A hash or merge join reads a whole index too; a nested loop looks it up for each row of a batch.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Up to version 17 these settings give plans an estimated cost of 10,000,000,000, so PostgreSQL would
  // compile them for each execution, which takes 0.1 to 0.4 s.
  jit: 'off',
  client_encoding: 'UTF8',
};

const SET_CONFIG =
  'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting(name, value)';

/** Uses a statement, because a pooler may refuse settings as parameters of the connection. */
async function applySettings(client: pg.ClientBase, { schema, timeouts }: DatabaseOptions): Promise<void> {
  const settings = Object.entries({
    search_path: pg.escapeIdentifier(schema),
    ...SETTINGS,
    statement_timeout: String(timeouts.statementMs),
    lock_timeout: String(timeouts.lockMs),
    idle_in_transaction_session_timeout: String(timeouts.idleTransactionMs),
  });
  const values = [settings.map(([name]) => name), settings.map(([, value]) => value)];
  const query = { text: SET_CONFIG, values, query_timeout: timeouts.connectMs };
  await client.query(query);
}

const toClientConfig = ({ url, schema, timeouts }: DatabaseOptions): pg.ClientConfig => ({
  connectionString: url,
  // Operators see it in pg_stat_activity.
  application_name: schema,
  connectionTimeoutMillis: timeouts.connectMs,
  // The default for each statement, since a connection may stop responding at any time.
  query_timeout: timeouts.statementMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
});

export interface Connection {
  readonly client: pg.Client;
  /** Can be corked to send several statements in one packet, and destroyed to end running statements. */
  readonly socket: Socket;
}

/**
 * Opens a connection that does not wait for results (pipelining).
 * @param deadline on the scale of `performance.now()` @throws errors of the driver
 */
export function openPipelinedConnection(database: DatabaseOptions, deadline = Infinity): Promise<Connection> {
  return connect(database, { pipeline: true }, deadline, (client) => applySettings(client, database));
}

/** Runs a job on a separate connection, without session settings and without a statement timeout. */
export async function withClient<Result>(
  database: DatabaseOptions,
  job: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const { client, socket } = await connect(database, { query_timeout: 0 });
  try {
    return await job(client);
  } finally {
    socket.destroy();
  }
}

async function connect(
  database: DatabaseOptions,
  config: pg.ClientConfig,
  deadline = Infinity,
  prepare?: (client: pg.Client) => Promise<void>,
): Promise<Connection> {
  const socket = new Socket();
  const client = new pg.Client({ ...toClientConfig(database), ...config, stream: () => socket });
  // A lost connection fails the query that needs it.
  client.on('error', () => undefined);
  const timeout = Math.min(database.timeouts.connectMs, deadline - performance.now());
  const timer = setTimeout(() => socket.destroy(), timeout);
  try {
    await client.connect();
    await prepare?.(client);
    return { client, socket };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

export function openPool(database: DatabaseOptions, report: (message: string) => void): pg.Pool {
  // The pool waits for the promise, though its types do not say so.
  const onConnect: (client: pg.ClientBase) => unknown = (client) => applySettings(client, database);
  const pool = new pg.Pool({
    ...toClientConfig(database),
    onConnect,
    max: POOL_SIZE,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
  });
  pool.on('error', (error) => {
    report(`an idle connection was lost: ${quoteError(error)}`);
  });
  return pool;
}

/**
 * In milliseconds. A caller gets every failure within five seconds, so the steps of one attempt take less. If
 * an instance stops in the middle of a write, the others can write again before their own calls fail.
 */
export const TIMEOUTS = {
  connectMs: 1500,
  /** How long a transaction may lock the row of `clock` without sending a statement. */
  idleTransactionMs: 1500,
  /** How long a write waits for the writes of other instances. */
  lockMs: 2500,
  statementMs: 3000,
  /** How long a response waits for optional data, such as rate-limit headers. */
  optionalReadMs: 1000,
  /** How long a caller waits for a read or a write, including retries. */
  callMs: 4000,
  notificationMs: 2000,
  /** How often the connection for notifications is tested while it is idle. */
  pingMs: 15_000,
  /** How long `close` waits for the end of a connection. */
  closeMs: 1000,
};

export type Timeouts = Readonly<typeof TIMEOUTS>;

/** @throws StoreFailure after `timeoutMs`; the result is then ignored */
export async function withTimeout<Result>(result: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, timeoutMs, new StoreFailure('nothing', 'the database is slow'));
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

const CHANNEL = 'porchlight_session_check';

const TRANSACTION_POOLING =
  'the database is behind a proxy that pools transactions (such as PgBouncer with pool_mode = ' +
  'transaction), which loses LISTEN and session settings; connect to PostgreSQL directly, or pool sessions ' +
  '(pool_mode = session)';

/**
 * Checks that an idle connection keeps its backend: one connection listens and sends nothing, another
 * notifies it. Behind a proxy that pools transactions the first has no backend, so nothing arrives. The check
 * changes no setting, since that would affect other clients of the proxy.
 * @throws StoreFailure behind such a proxy; errors of the driver
 */
export async function requireSessions(database: DatabaseOptions): Promise<void> {
  const isReceived = await withClient(database, (listener) =>
    withClient(database, (notifier) => receivesWhileIdle(listener, notifier, database.timeouts)),
  );
  if (!isReceived) throw new StoreFailure('nothing', TRANSACTION_POOLING);
}

async function receivesWhileIdle(
  listener: pg.Client,
  notifier: pg.Client,
  { connectMs, notificationMs }: Timeouts,
): Promise<boolean> {
  const payload = randomUUID();
  // One message with two statements, which one backend executes.
  const listening = await execute(listener, connectMs, `listen ${CHANNEL}; select pg_backend_pid() as pid`);
  let timer: NodeJS.Timeout | undefined;
  const received = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, notificationMs, false);
    listener.on('notification', (message) => {
      if (message.payload === payload) resolve(true);
    });
    listener.once('end', () => {
      resolve(false);
    });
  });
  try {
    const notifying = await execute(
      notifier,
      connectMs,
      `select pg_notify('${CHANNEL}', '${payload}'); select pg_backend_pid() as pid`,
    );
    // If the notifier got the backend of the listener, the notification need not be awaited.
    return notifying !== listening && (await received);
  } finally {
    clearTimeout(timer);
  }
}

async function execute(client: pg.Client, query_timeout: number, text: string): Promise<number | undefined> {
  const query = { text, query_timeout };
  // For several statements pg returns a list, although its types do not say so.
  const results = (await client.query(query)) as unknown as pg.QueryResult<{ pid: number }>[];
  return results.at(-1)?.rows[0]?.pid;
}
