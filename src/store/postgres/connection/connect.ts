import { Socket } from 'node:net';
import pg from 'pg';
import { CONNECT_MS, LOCK_MS, SILENCE_MS, STATEMENT_MS } from './timeouts.ts';

/** Where a store lives: a database, and the schema in it. */
export interface Place {
  /** `postgres://user:password@host:port/database`, with what else libpq's addresses may say. */
  readonly url: string;
  readonly schema: string;
}

/** How many reads one instance makes at once; more wait. */
export const READERS = 8;

const SETTINGS = {
  // Every statement has its index. A plan made while a table is empty would read all of it, and is kept while it grows.
  enable_seqscan: 'off',
  // A hash or merge join over an index reads all of it too; a nested loop probes it for each row of a batch.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  client_encoding: 'UTF8',
  statement_timeout: String(STATEMENT_MS),
  lock_timeout: String(LOCK_MS),
  idle_in_transaction_session_timeout: String(SILENCE_MS),
};

const SETTLE =
  'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as setting(name, value)';

/** Settings made by a statement, since a pooler between us and the database may not pass on those of the start. */
async function settle(client: pg.ClientBase, schema: string): Promise<void> {
  const settings = Object.entries({ search_path: pg.escapeIdentifier(schema), ...SETTINGS });
  const values = [settings.map(([name]) => name), settings.map(([, value]) => value)];
  const query = { text: SETTLE, values, query_timeout: CONNECT_MS };
  await client.query(query);
}

const common = ({ url, schema }: Place): pg.ClientConfig => ({
  connectionString: url,
  // What an operator sees of who is connected.
  application_name: schema,
  connectionTimeoutMillis: CONNECT_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
});

/** A connection of its own on which statements are sent without waiting for the answers to those before. */
export interface Line {
  readonly client: pg.Client;
  /** Holds back what is sent until `flush`, so that it travels together. */
  readonly hold: () => void;
  readonly flush: () => void;
  /** Lets go at once, whatever is under way. */
  readonly cut: () => void;
}

/**
 * @param timeout how long the connection may take to come, in milliseconds
 * @throws what the driver says
 */
export async function openLine(place: Place, timeout = CONNECT_MS): Promise<Line> {
  return connect(place, timeout, (client) => settle(client, place.schema));
}

/**
 * Opens a connection with the settings of the server.
 * @throws errors of the driver
 */
export async function openPlainLine(place: Place): Promise<Line> {
  return connect(place, CONNECT_MS, async () => undefined);
}

async function connect(
  place: Place,
  timeout: number,
  prepare: (client: pg.Client) => Promise<void>,
): Promise<Line> {
  const socket = new Socket();
  const client = new pg.Client({
    ...common(place),
    connectionTimeoutMillis: timeout,
    stream: () => socket,
    pipeline: true,
  });
  // A lost connection is told by the query that needs it.
  client.on('error', () => undefined);
  const cut = (): void => {
    socket.destroy();
  };
  const timer = setTimeout(cut, timeout);
  try {
    await client.connect();
    await prepare(client);
  } catch (error) {
    cut();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    client,
    cut,
    hold: () => {
      socket.cork();
    },
    flush: () => {
      socket.uncork();
    },
  };
}

/** The connections on which readers ask. */
export function openPool(place: Place, report: (what: string) => void): pg.Pool {
  // The pool waits for what this returns, though its types do not say so.
  const onConnect: (client: pg.ClientBase) => unknown = (client) => settle(client, place.schema);
  const pool = new pg.Pool({
    ...common(place),
    onConnect,
    max: READERS,
    idleTimeoutMillis: 60_000,
    query_timeout: STATEMENT_MS,
    allowExitOnIdle: true,
  });
  pool.on('error', (error) => {
    report(`an idle connection was lost: ${error.message}`);
  });
  return pool;
}
