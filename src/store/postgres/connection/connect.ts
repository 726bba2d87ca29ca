import { Socket } from 'node:net';
import pg from 'pg';
import {
  CONNECT_TIMEOUT_MS,
  IDLE_TRANSACTION_TIMEOUT_MS,
  LOCK_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from './timeouts.ts';

/** Where a store is: a database, and the schema in it. */
export interface DatabaseLocation {
  /** `postgres://user:password@host:port/database`, with the parameters that libpq accepts. */
  readonly url: string;
  readonly schema: string;
}

/** Number of reads that one instance runs at the same time; further ones wait. */
export const POOL_SIZE = 8;

const SETTINGS = {
  // Every statement has its index. PostgreSQL caches plans, and one made while a table is empty would scan all of it.
  enable_seqscan: 'off',
  // A hash or merge join over an index reads all of it too; a nested loop probes it for each row of a batch.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Up to version 17 these settings give a plan without an alternative, such as one on the row of clock, an
  // estimated cost of 10,000,000,000. PostgreSQL would compile it for each execution, which takes 0.1 to 0.4 s.
  jit: 'off',
  client_encoding: 'UTF8',
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  lock_timeout: String(LOCK_TIMEOUT_MS),
  idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_TIMEOUT_MS),
};

const SET_CONFIG =
  'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting(name, value)';

/** Sets them by a statement, because a pooler may refuse them as parameters of the connection. */
async function applySessionSettings(client: pg.ClientBase, schema: string): Promise<void> {
  const settings = Object.entries({ search_path: pg.escapeIdentifier(schema), ...SETTINGS });
  const values = [settings.map(([name]) => name), settings.map(([, value]) => value)];
  const query = { text: SET_CONFIG, values, query_timeout: CONNECT_TIMEOUT_MS };
  await client.query(query);
}

const toClientConfig = ({ url, schema }: DatabaseLocation): pg.ClientConfig => ({
  connectionString: url,
  // Operators see it in pg_stat_activity.
  application_name: schema,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
});

/** A connection that sends statements without waiting for the results of those before (pipelining). */
export interface PipelinedConnection {
  readonly client: pg.Client;
  /** Buffers what is sent until `uncork`, so that it leaves in one packet. */
  readonly cork: () => void;
  readonly uncork: () => void;
  /** Closes the socket at once, whatever is in flight. */
  readonly destroy: () => void;
}

/**
 * @param timeout of connecting, in milliseconds
 * @throws errors of the driver
 */
export async function openPipelinedConnection(
  location: DatabaseLocation,
  timeout = CONNECT_TIMEOUT_MS,
): Promise<PipelinedConnection> {
  return connect(location, timeout, (client) => applySessionSettings(client, location.schema));
}

/**
 * Opens a connection with the settings of the server.
 * @throws errors of the driver
 */
export async function openUnconfiguredConnection(location: DatabaseLocation): Promise<PipelinedConnection> {
  return connect(location, CONNECT_TIMEOUT_MS, async () => undefined);
}

async function connect(
  location: DatabaseLocation,
  timeout: number,
  prepare: (client: pg.Client) => Promise<void>,
): Promise<PipelinedConnection> {
  const socket = new Socket();
  const client = new pg.Client({
    ...toClientConfig(location),
    connectionTimeoutMillis: timeout,
    stream: () => socket,
    pipeline: true,
  });
  // A lost connection fails the query that needs it.
  client.on('error', () => undefined);
  const destroy = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(destroy, timeout);
  try {
    await client.connect();
    await prepare(client);
  } catch (error) {
    destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    client,
    destroy,
    cork: () => {
      socket.cork();
    },
    uncork: () => {
      socket.uncork();
    },
  };
}

/** Opens the connections of the reads. */
export function openPool(location: DatabaseLocation, report: (message: string) => void): pg.Pool {
  // The pool waits for the promise, though its types do not say so.
  const onConnect: (client: pg.ClientBase) => unknown = (client) =>
    applySessionSettings(client, location.schema);
  const pool = new pg.Pool({
    ...toClientConfig(location),
    onConnect,
    max: POOL_SIZE,
    idleTimeoutMillis: 60_000,
    query_timeout: STATEMENT_TIMEOUT_MS,
    allowExitOnIdle: true,
  });
  pool.on('error', (error) => {
    report(`an idle connection was lost: ${error.message}`);
  });
  return pool;
}
