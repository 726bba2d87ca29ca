import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { LAUNCHER } from '../../support/product.ts';
import { within } from './time.ts';

/** How it is started, besides its settings. */
export interface Way {
  /** What the command line is put behind, such as `prlimit --nofile=256`. */
  readonly behind?: readonly string[];
}

const START_SECONDS = 60;
const END_SECONDS = 30;

/** The product as an operator starts it, in a process group of its own. It may also fail to start. */
export class Server {
  readonly #child: ChildProcess;
  readonly #listening: Promise<string>;
  /** Settles with exit code or signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  #log = '';
  #url = '';

  constructor(settings: Readonly<Record<string, string>>, { behind = [] }: Way = {}) {
    const [command, ...args] = [...behind, process.execPath, LAUNCHER, 'serve'];
    const child = spawn(command, args, {
      cwd: tmpdir(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], PORT: '0', ...settings },
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    this.exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
    const told = once(child.stdout.setEncoding('utf8'), 'data').then(
      ([line]: string[]) => /http:\/\/\S+/.exec(line!)![0],
    );
    const never = this.exited.then((how): never => {
      throw new Error(`it did not start (${how}): ${this.#log.trim()}`);
    });
    this.#listening = Promise.race([told, never]);
    this.#listening.catch(() => undefined);
    this.exited.catch(() => undefined);
  }

  /** @throws where it ends before it listens */
  async ready(): Promise<this> {
    this.#url = await within(START_SECONDS, 'a start', this.#listening);
    return this;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** What it wrote to standard error so far. */
  get log(): string {
    return this.#log;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** @returns exit code or signal */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.signal(signal);
    return within(END_SECONDS, `an end by ${signal}`, this.exited);
  }

  /** Whatever it is doing, with what it was put behind. */
  destroy(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // It was quicker.
    }
  }
}
