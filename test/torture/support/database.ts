import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresProcess } from '../../support/postgres/process.ts';
import type { Sandbox } from './sandbox.ts';
import type { Server } from './server.ts';

const MAX_START_ATTEMPTS = 60;

/** Selects the backends of the product, migrations included. */
const PRODUCT_BACKENDS = "starts_with(application_name, 'porchlight') and pid <> pg_backend_pid()";

/** A PostgreSQL server that can be crashed, and started again on the same data. */
export class Database {
  readonly url: string;
  readonly #sandbox: Sandbox;
  readonly #server: PostgresProcess;
  #isUp = false;

  private constructor(sandbox: Sandbox, server: PostgresProcess) {
    this.url = server.url;
    this.#sandbox = sandbox;
    this.#server = server;
  }

  static async create(sandbox: Sandbox, connections = 200): Promise<Database> {
    const database = new Database(sandbox, await PostgresProcess.create({ maxConnections: connections }));
    sandbox.after(() => database.#server.stop());
    await database.start();
    return database;
  }

  /** Starts the server, which recovers its data after a crash. */
  async start(): Promise<void> {
    for (let tries = 1; !this.#isUp; tries++) {
      try {
        await this.#server.start();
        this.#isUp = true;
      } catch (cause) {
        // Backends of the crashed server may still run.
        if (tries === MAX_START_ATTEMPTS) throw new Error('PostgreSQL does not start', { cause });
        await sleep(500);
      }
    }
  }

  /** Ends the server without finishing transactions. @param signal SIGQUIT is `pg_ctl stop -m immediate` */
  async crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const pid = Number((await readFile(join(this.#server.data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(pid, signal);
    this.#isUp = false;
  }

  /** Opens a connection that is not the product's. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.url);
    client.on('error', () => undefined);
    await client.connect();
    this.#sandbox.after(() => client.end().catch(() => undefined));
    return client;
  }

  /**
   * Starts instances on this database, with the default write limits.
   * @param url of a proxy to the database
   */
  serveInstances(count: number, url = this.url): Promise<Server[]> {
    const all = { DATABASE_URL: url, TRUSTED_PROXIES: '127.0.0.1', REQUESTS_PER_MINUTE: '0' };
    return Promise.all(Array.from({ length: count }, () => this.#sandbox.serve(all)));
  }
}

/** Terminates every backend of the product. @returns their number */
export async function killBackends(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where ${PRODUCT_BACKENDS}`,
  );
  return rowCount ?? 0;
}
