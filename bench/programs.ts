import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const PEER = join(import.meta.dirname, 'peers', 'server.mjs');
const STORE_PROCESS = join(import.meta.dirname, 'store-process.ts');

/** Settings without rate limits. */
const NO_LIMITS = {
  FEED_POSTS_PER_HOUR: '0',
  PORCH_WRITES_PER_HOUR: '0',
  PORCH_WRITES_PER_DAY: '0',
  REQUESTS_PER_MINUTE: '0',
  WAITS_PER_NETWORK: '0',
  LOG_LEVEL: 'error',
  PORT: '0',
};

/** A server in a process of its own. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
}

/** A Node program: its arguments and environment variables. */
export interface Program {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What a peer responds with. */
export interface PeerResponse {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** The result of the tool, for a peer with an SDK. */
  readonly result?: object;
}

/** The headers of a response without those that `node:http` adds, so that a peer sends the same head. */
export function headersOf(response: Response): Readonly<Record<string, string>> {
  const added = ['date', 'connection', 'keep-alive', 'content-length'];
  return Object.fromEntries([...response.headers].filter(([name]) => !added.includes(name)));
}

/** Sends a task to a store process (`store-process.ts`). @returns the numbers of its response */
export type StoreProcess = (task: string, argument?: string | number) => Promise<number[]>;

/** The folders and processes of a bench, which `close` removes. */
export class Programs {
  readonly #folder = mkdtempSync(join(tmpdir(), 'porchlight-bench-'));
  readonly #children = new Set<ChildProcess>();
  #files = 0;
  #launcher: string | undefined;

  /** @returns the path of a new file or folder, which does not exist yet */
  path(name: string): string {
    return join(this.#folder, `${++this.#files}-${name}`);
  }

  /** A command of the npm package of this checkout. @param launcher the porchlight.js of another package */
  porchlight(
    args: readonly string[],
    settings: Readonly<Record<string, string>>,
    launcher = (this.#launcher ??=
      this.#buildPackage(ROOT)),
  ): Program {
    return { args: [launcher, ...args], env: { ...NO_LIMITS, ...settings } };
  }

  /** Starts a server. Settles once it has printed its URL. */
  async serve(program: Program): Promise<RunningServer> {
    const child = this.start(program);
    const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
    return { url: /http:\/\/[^\s)]+/.exec(line)![0], pid: child.pid! };
  }

  /** Starts Porchlight on a folder. */
  serveFolder(dataDir: string, launcher?: string): Promise<RunningServer> {
    return this.serve(this.porchlight(['serve'], { DATA_DIR: dataDir }, launcher));
  }

  /** A peer as a program. @param mode a key of `MODES` in `peers/server.mjs` */
  peer(mode: string, response: PeerResponse): Program {
    const file = this.path('response.json');
    writeFileSync(file, JSON.stringify(response));
    return { args: [PEER, mode, file] };
  }

  start({ args, env = {} }: Program): ChildProcess {
    return this.#track(
      spawn(process.execPath, args, {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
  }

  /** Runs a program to its end. @param onStart is passed its process id. @throws Error if it fails */
  async run(program: Program, onStart?: (pid: number) => void): Promise<void> {
    const child = this.start(program);
    onStart?.(child.pid!);
    child.stdout!.resume();
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${program.args.join(' ')} ended with ${code ?? 'a signal'}`);
  }

  /** Starts a process that works on a folder below the server. */
  startStoreProcess(folder: string): StoreProcess {
    const child = this.#track(fork(STORE_PROCESS, [folder]));
    const ended = new AbortController();
    child.once('exit', () => ended.abort());
    return async (task, argument) => {
      child.send({ task, argument });
      return ((await once(child, 'message', ended)) as [number[]])[0];
    };
  }

  /** Builds the npm package of an earlier commit. @returns its launcher */
  buildCommit(commit: string): string {
    const checkout = this.path(commit);
    const archive = this.path('commit.tar');
    mkdirSync(checkout);
    execFileSync('git', ['archive', '--output', archive, commit], { cwd: ROOT });
    execFileSync('tar', ['--extract', '--file', archive, '--directory', checkout]);
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
      cwd: checkout,
      stdio: 'ignore',
    });
    return this.#buildPackage(checkout);
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
    rmSync(this.#folder, { recursive: true });
  }

  /**
   * Builds the files of the npm package in a new folder. From the source tsx would name every arrow function as
   * it is created, which costs a read up to a tenth of its time.
   */
  #buildPackage(checkout: string): string {
    const folder = this.path('package');
    execFileSync(process.execPath, [join(checkout, 'bin', 'build.js')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    for (const part of ['bin/porchlight.js', 'dist', 'package.json'])
      cpSync(join(checkout, part), join(folder, part), { recursive: true });
    return join(folder, 'bin', 'porchlight.js');
  }

  #track(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }
}

const TICKS_PER_SECOND = 100;

/** Reads the processor time of a process in seconds; NaN without /proc. */
export function readCpuSeconds(pid: number): number {
  const fields = readProc(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Reads the peak of the resident memory of a process in bytes; NaN without /proc, or once it has ended. */
export function readPeakMemory(pid: number): number {
  return Number(/VmHWM:\s*(\d+) kB/.exec(readProc(pid, 'status'))?.[1]) * 1024;
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
