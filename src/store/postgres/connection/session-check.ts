import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { StoreFailure } from '#store/port/store.ts';
import { type DatabaseOptions, type Timeouts, withClient } from './connect.ts';

const CHANNEL = 'porchlight_session_check';

const TRANSACTION_POOLING =
  'the database is behind a proxy that pools transactions (such as PgBouncer with pool_mode = ' +
  'transaction), which loses LISTEN and session settings; connect to PostgreSQL directly, or pool sessions ' +
  '(pool_mode = session)';

/**
 * Checks that an idle connection keeps its backend: one listens and sends nothing, another notifies it.
 * Behind a proxy that pools transactions the first has no backend, so nothing arrives. No setting is made: it
 * would reach other clients there.
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
    // The backend of the listener is free for others: it need not wait for the notification to be lost.
    return notifying !== listening && (await received);
  } finally {
    clearTimeout(timer);
  }
}

async function execute(
  client: pg.Client,
  query_timeout: number,
  statements: string,
): Promise<number | undefined> {
  const query = { text: statements, query_timeout };
  // pg returns a list for several statements, which its types do not say.
  const results = (await client.query(query)) as unknown as pg.QueryResult<{ pid: number }>[];
  return results.at(-1)?.rows[0]?.pid;
}
