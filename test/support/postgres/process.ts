import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onExit } from 'signal-exit';
import { installedPostgres, prepareBinaries, type Binaries } from './binaries.ts';

const PASSWORD = 'for-tests-only';
const READY = 'database system is ready to accept connections';

/**
 * @returns the stored form of a password (RFC 5803), with 1 iteration instead of 4,096, since a server
 *   computes it for each of some thousand connections
 */
function toVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, 1, 32, 'sha256');
  const sign = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64');
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${storedKey}:${sign('Server Key').toString('base64')}`;
}

/** Names and values of postgresql.conf. */
export type PostgresSettings = Readonly<Record<string, string>>;

interface Options {
  readonly maxConnections?: number;
  readonly settings?: PostgresSettings;
  /** Another PostgreSQL than the one that npm installed. */
  readonly installed?: string;
}

/** @returns a port that was free a moment ago */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A PostgreSQL with a new data folder in the temporary folder, reachable on the loopback address only. */
export class PostgresProcess {
  readonly url: string;
  readonly data: string;
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #flags: readonly string[];
  readonly #removeExitHook: () => void;
  /** Undefined while no server runs. */
  #process: ChildProcess | undefined;

  private constructor(
    folder: string,
    binaries: Binaries,
    port: number,
    given: Readonly<Record<string, string | number>>,
  ) {
    this.url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
    this.data = join(folder, 'data');
    this.#folder = folder;
    this.#binaries = binaries;
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      ...given,
    };
    this.#flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#removeExitHook = onExit(() => {
      this.#process?.kill('SIGQUIT');
      this.#remove();
    });
  }

  /** Makes the data folder. @throws an error with the words of initdb */
  static async create({ maxConnections = 200, settings, installed }: Options = {}): Promise<PostgresProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'porchlight-postgres-'));
    try {
      const binaries = await prepareBinaries(folder, installed ?? (await installedPostgres()));
      const server = new PostgresProcess(folder, binaries, await freePort(), {
        max_connections: maxConnections,
        ...settings,
      });
      await server.#initialise();
      return server;
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async #initialise(): Promise<void> {
    const { runAs } = this.#binaries;
    const passwordFile = join(this.#folder, 'password');
    writeFileSync(passwordFile, `${toVerifier(PASSWORD)}\n`, { mode: 0o600 });
    if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(passwordFile, runAs.uid, runAs.gid);
    const args = ['--username=postgres', '--auth=password', '--encoding=UTF8', '--locale=C', '--no-sync'];
    await promisify(execFile)(
      this.#pathOf('initdb'),
      [`--pgdata=${this.data}`, `--pwfile=${passwordFile}`, ...args],
      { ...runAs, cwd: this.#folder },
    );
  }

  /** @throws an error with the log of the server if it exits before it accepts connections */
  async start(): Promise<void> {
    const server = spawn(this.#pathOf('postgres'), ['-D', this.data, ...this.#flags], {
      ...this.#binaries.runAs,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = server;
    server.once('exit', () => {
      // A crashed server may exit after its successor was started.
      if (this.#process === server) this.#process = undefined;
    });
    let log = '';
    await new Promise<void>((resolve, reject) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        // Read to the end of the run, because a full pipe would stop the server.
        if (log.includes(READY)) return;
        log += text;
        if (log.includes(READY)) resolve();
      });
      server.once('error', reject).once('close', () => {
        reject(new Error(`PostgreSQL does not start:\n${log}`));
      });
    });
  }

  /** Stops the server, if it runs, and removes its files. */
  async stop(): Promise<void> {
    const server = this.#process;
    if (server !== undefined) {
      // A fast shutdown.
      server.kill('SIGINT');
      await once(server, 'exit');
    }
    this.#removeExitHook();
    this.#remove();
  }

  #pathOf(program: string): string {
    return join(this.#binaries.folder, 'bin', program);
  }

  #remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
