import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyFolder } from './copy.ts';
import { Speaker } from './line-client.ts';
import type { Stores } from './stores.ts';

const HERE = import.meta.dirname;
const LAUNCHER = fileURLToPath(new URL('../bin/porchlight.js', import.meta.url));

/** Settings under which nobody is slowed down on purpose. */
const FREE = {
  FEED_POSTS_PER_HOUR: '0',
  PORCH_WRITES_PER_HOUR: '0',
  PORCH_WRITES_PER_DAY: '0',
  REQUESTS_PER_MINUTE: '0',
  LOG_LEVEL: 'warn',
  PORT: '0',
};

/** A server in a process of its own. */
export interface Served {
  readonly url: string;
  readonly pid: number;
}

/** A server that says how many megabytes are in use after a collection. */
export interface CollectingServer extends Served {
  readonly inUse: () => Promise<number>;
}

/** A program of Node with its arguments, and the variables it is run with. */
export interface Program {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** @param launcher which porchlight.js; from the source, unless another is given */
export function porchlight(command: 'serve' | 'stdio', dataDir: string, launcher = LAUNCHER): Program {
  return { args: [launcher, command], env: { ...FREE, DATA_DIR: dataDir } };
}

/** The server over a database instead of a folder. */
export function porchlightOver(databaseUrl: string): Program {
  return { args: [LAUNCHER, 'serve'], env: { ...FREE, DATABASE_URL: databaseUrl } };
}

/** A peer, by the name of its file in `peers/servers`. */
export function peer(name: string, ...args: string[]): Program {
  return { args: [join(HERE, 'peers', 'servers', `${name}.mjs`), ...args] };
}

/** Where measurements are made: folders and processes that are gone afterwards. */
export class Lab {
  readonly #folder = mkdtempSync(join(tmpdir(), 'porchlight-bench-'));
  readonly #children = new Set<ChildProcess>();
  readonly #stores: Stores;
  #files = 0;

  constructor(stores: Stores) {
    this.#stores = stores;
  }

  /** @returns the path of a file or folder that is not there yet */
  path(name: string): string {
    return join(this.#folder, `${++this.#files}-${name}`);
  }

  /** @returns the path of a file that holds the value as JSON */
  file(value: unknown): string {
    const path = this.path('value.json');
    writeFileSync(path, JSON.stringify(value));
    return path;
  }

  /** @returns a folder with so many posts that every bench shares */
  filled(count: number): string {
    return this.#stores.filled(count);
  }

  /** @returns a folder with so many posts that is the caller's own */
  store(count: number): string {
    const folder = this.path('store');
    copyFolder(this.#stores.filled(count), folder);
    return folder;
  }

  porchlight(dataDir: string): Promise<Served> {
    return this.serve(porchlight('serve', dataDir));
  }

  peer(name: string, ...args: string[]): Promise<Served> {
    return this.serve(peer(name, ...args));
  }

  /** Runs a server, and returns once it has printed its address. */
  async serve(program: Program): Promise<Served> {
    const child = this.start(program);
    return { url: await addressFrom(child), pid: child.pid! };
  }

  /** Runs a server of which memory can be measured without what the collector has not freed yet. */
  async collectingServer(dataDir: string): Promise<CollectingServer> {
    const { args, env } = porchlight('serve', dataDir);
    const collecting = ['--expose-gc', '--import', join(HERE, 'children', 'collecting.mjs')];
    const child = this.start({ args: [...collecting, ...args], env: env ?? {} });
    return {
      url: await addressFrom(child),
      pid: child.pid!,
      inUse: async () => {
        child.kill('SIGUSR2');
        const [line] = (await once(child.stdout!, 'data')) as [string];
        return Number(/in use: (\d+)/.exec(line)![1]) / 1024 / 1024;
      },
    };
  }

  /** Runs a server that answers lines with lines. */
  speak(program: Program): Speaker {
    return new Speaker(this.start(program));
  }

  /** Runs a program of the bench, which answers each message with a list of numbers. */
  child(path: string, ...args: string[]): (ask: object) => Promise<number[]> {
    const child = this.#keep(fork(join(HERE, path), args));
    return async (ask) => {
      child.send(ask);
      return ((await once(child, 'message')) as [number[]])[0];
    };
  }

  start({ args, env = {} }: Program): ChildProcess {
    return this.#keep(
      spawn(process.execPath, args, {
        env: { PATH: process.env['PATH'], ...env },
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
  }

  /** Ends all processes, so that the next part has the machine for itself. */
  async quiet(): Promise<void> {
    await Promise.all(
      [...this.#children].map(async (child) => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }),
    );
  }

  async close(): Promise<void> {
    await this.quiet();
    rmSync(this.#folder, { recursive: true });
  }

  #keep(child: ChildProcess): ChildProcess {
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }
}

/** @returns the address that a server prints once it listens */
async function addressFrom(child: ChildProcess): Promise<string> {
  const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
  return /http:\/\/[^\s)]+/.exec(line)![0];
}
