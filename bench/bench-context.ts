import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyFolder } from './copy.ts';
import { LineClient } from './line-client.ts';
import type { SeededStores } from './stores.ts';

const FOLDER = import.meta.dirname;
const LAUNCHER = fileURLToPath(new URL('../bin/porchlight.js', import.meta.url));

/** Settings without rate limits. */
const NO_LIMITS = {
  FEED_POSTS_PER_HOUR: '0',
  PORCH_WRITES_PER_HOUR: '0',
  PORCH_WRITES_PER_DAY: '0',
  REQUESTS_PER_MINUTE: '0',
  WAITS_PER_NETWORK: '0',
  LOG_LEVEL: 'warn',
  PORT: '0',
};

/** A server in a child process. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
}

/** A Node program: its arguments and environment variables. */
export interface Program {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The server as a program. @param launcher the porchlight.js to run; by default from the source */
export function porchlightProgram(command: 'serve' | 'stdio', dataDir: string, launcher = LAUNCHER): Program {
  return { args: [launcher, command], env: { ...NO_LIMITS, DATA_DIR: dataDir } };
}

/** The command that imports an export into a folder. */
export function importProgram(dataDir: string, file: string): Program {
  return { args: [LAUNCHER, 'import', file], env: { DATA_DIR: dataDir } };
}

/** The server with a database instead of a folder. */
export function porchlightOnDatabase(databaseUrl: string): Program {
  return { args: [LAUNCHER, 'serve'], env: { ...NO_LIMITS, DATABASE_URL: databaseUrl } };
}

/** A peer as a program. @param name of a file in `peers/servers` */
export function peerProgram(name: string, ...args: string[]): Program {
  return { args: [join(FOLDER, 'peers', 'servers', `${name}.mjs`), ...args] };
}

/** A script of the bench in a separate process. */
export interface BenchScript {
  readonly pid: number;
  /** Sends a message. @returns the numbers of the response */
  readonly request: (message: object) => Promise<number[]>;
}

/** The folders and processes of a bench, which `close` removes. */
export class BenchContext {
  readonly #folders = new Map<string, string>();
  readonly #children = new Set<ChildProcess>();
  readonly #stores: SeededStores;
  #files = 0;

  constructor(stores: SeededStores) {
    this.#stores = stores;
  }

  /**
   * @param parent a folder of the disk to use
   * @returns the path of a new file or folder, which does not exist yet
   */
  path(name: string, parent = tmpdir()): string {
    const folder = this.#folders.get(parent) ?? mkdtempSync(join(parent, 'porchlight-bench-'));
    this.#folders.set(parent, folder);
    return join(folder, `${++this.#files}-${name}`);
  }

  /** @returns the path of a new file with the value as JSON */
  writeJson(value: unknown): string {
    const path = this.path('value.json');
    writeFileSync(path, JSON.stringify(value));
    return path;
  }

  /** The folder with `count` posts, which all benches share and none may change. */
  seededFolder(count: number): string {
    return this.#stores.folderWith(count);
  }

  /** Copies the folder with `count` posts. @param parent see `path` @returns the path of the copy */
  copyStore(count: number, parent?: string): string {
    const folder = this.path('store', parent);
    copyFolder(this.#stores.folderWith(count), folder);
    return folder;
  }

  servePorchlight(dataDir: string): Promise<RunningServer> {
    return this.serve(porchlightProgram('serve', dataDir));
  }

  servePeer(name: string, ...args: string[]): Promise<RunningServer> {
    return this.serve(peerProgram(name, ...args));
  }

  /** Starts a server. Settles once it has printed its URL. */
  async serve(program: Program): Promise<RunningServer> {
    const child = this.start(program);
    return { url: await urlPrintedBy(child), pid: child.pid! };
  }

  /** Starts a server that responds to each line with a line. */
  startLineServer(program: Program): LineClient {
    return new LineClient(this.start(program));
  }

  /** Forks a script of the bench, which responds to each message with a list of numbers. */
  forkScript(path: string, ...args: string[]): BenchScript['request'] {
    return this.startScript(path, ...args).request;
  }

  /** Like `forkScript`, for measurements of the process itself. */
  startScript(path: string, ...args: string[]): BenchScript {
    const child = this.#track(fork(join(FOLDER, path), args));
    const request = async (message: object): Promise<number[]> => {
      child.send(message);
      return ((await once(child, 'message')) as [number[]])[0];
    };
    return { pid: child.pid!, request };
  }

  /** Runs a program to its end. @throws Error if it fails */
  async run(program: Program): Promise<void> {
    const child = this.start(program);
    child.stdout!.resume();
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program.args.join(' ')} ended with ${code ?? 'a signal'}`);
  }

  start({ args, env = {} }: Program): ChildProcess {
    return this.#track(
      spawn(process.execPath, args, {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
  }

  /** Kills all processes, so that they do not disturb the next measurement. */
  async stopAll(): Promise<void> {
    await Promise.all(
      [...this.#children].map(async (child) => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }),
    );
  }

  async close(): Promise<void> {
    await this.stopAll();
    for (const folder of this.#folders.values()) rmSync(folder, { recursive: true });
  }

  #track(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }
}

/** Waits for the URL that a server prints once it listens. */
async function urlPrintedBy(child: ChildProcess): Promise<string> {
  const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
  return /http:\/\/[^\s)]+/.exec(line)![0];
}
