import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresProcess } from '../../support/postgres/process.ts';
import type { Place } from './sandbox.ts';
import type { Server } from './server.ts';

const START_TRIES = 60;

/** What every backend of the product is called, that of a migration too. */
const OURS = "starts_with(application_name, 'porchlight') and pid <> pg_backend_pid()";

/** A real PostgreSQL that can be crashed, and started again on what it left. */
export class Database {
  readonly url: string;
  readonly #place: Place;
  readonly #server: PostgresProcess;
  #isUp = false;

  private constructor(place: Place, server: PostgresProcess) {
    this.url = server.url;
    this.#place = place;
    this.#server = server;
  }

  static async begin(place: Place, connections = 200): Promise<Database> {
    const database = new Database(place, await PostgresProcess.create({ maxConnections: connections }));
    place.defer(() => database.#server.stop());
    await database.start();
    return database;
  }

  /** Lets a crashed server recover what it had. */
  async start(): Promise<void> {
    for (let tries = 1; !this.#isUp; tries++) {
      try {
        await this.#server.start();
        this.#isUp = true;
      } catch (cause) {
        // The last backends of the one before may not be gone yet.
        if (tries === START_TRIES) throw new Error('PostgreSQL does not start', { cause });
        await sleep(500);
      }
    }
  }

  /** Nothing is finished. @param signal SIGQUIT is `pg_ctl stop -m immediate` */
  async crash(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const pid = Number((await readFile(join(this.#server.data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(pid, signal);
    this.#isUp = false;
  }

  /** Somebody else who uses it. */
  async connect(): Promise<pg.Client> {
    const client = new pg.Client(this.url);
    client.on('error', () => undefined);
    await client.connect();
    this.#place.defer(() => client.end().catch(() => undefined));
    return client;
  }

  /** Instances of the product that keep their store here, with the usual limits of writes. @param url another way to it */
  serve(count: number, url = this.url): Promise<Server[]> {
    const all = { DATABASE_URL: url, TRUSTED_PROXIES: '127.0.0.1', REQUESTS_PER_MINUTE: '0' };
    return Promise.all(Array.from({ length: count }, () => this.#place.serve(all)));
  }
}

/** Ends every backend of the product. @returns how many there were */
export async function killBackends(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where ${OURS}`,
  );
  return rowCount ?? 0;
}

/** @returns how many backends the product has. */
export async function countBackends(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity where ${OURS}`,
  );
  return rows[0]!.count;
}
