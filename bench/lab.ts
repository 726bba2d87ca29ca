import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = import.meta.dirname;
const LAUNCHER = fileURLToPath(new URL('../bin/porchlight.js', import.meta.url));

/** Settings under which nobody is slowed down on purpose. */
const FREE = { FEED_POSTS_PER_HOUR: '0', PORCH_WRITES_PER_HOUR: '0', PORCH_WRITES_PER_DAY: '0', REQUESTS_PER_MINUTE: '0', LOG_LEVEL: 'warn' };

/** A server in a process of its own. */
export interface Served {
  readonly url: string;
  readonly pid: number;
}

/** Where measurements are made: folders and processes that are gone afterwards. */
export class Lab {
  readonly #folder = mkdtempSync(join(tmpdir(), 'porchlight-bench-'));
  readonly #children: ChildProcess[] = [];
  #files = 0;

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

  /** Porchlight as it is run from the source. */
  porchlight(dataDir: string): Promise<Served> {
    return this.#serve([LAUNCHER, 'serve'], { ...FREE, DATA_DIR: dataDir, PORT: '0' });
  }

  /** A peer, by the name of its file in `peers/servers`. */
  peer(name: string, ...args: string[]): Promise<Served> {
    return this.#serve([join(HERE, 'peers', 'servers', `${name}.mjs`), ...args], {});
  }

  async #serve(args: string[], env: Record<string, string>): Promise<Served> {
    const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children.push(child);
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data') as [string];
    return { url: /http:\/\/[^\s)]+/.exec(line)![0], pid: child.pid! };
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true });
  }
}

const TICKS_PER_SECOND = 100;

/** @returns the seconds of processor time that a process has used; NaN where the system does not tell */
export function processorSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}
