import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { LAUNCHER } from '../../support/product.ts';
import { withTimeout } from './time.ts';

/** How the process is started. */
export interface LaunchOptions {
  /** A command that runs the server, such as `prlimit --nofile=256`. */
  readonly wrapper?: readonly string[];
  /** The user that runs it, and its group; the user of this process if it is left out. */
  readonly uid?: number;
}

const START_TIMEOUT_SECONDS = 60;
const EXIT_TIMEOUT_SECONDS = 30;

/** The service in a process group of its own, started as an operator does. It may fail to start. */
export class Server {
  readonly #child: ChildProcess;
  readonly #listening: Promise<string>;
  /** Settles with exit code or signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  #log = '';
  #url = '';

  constructor(settings: Readonly<Record<string, string>>, { wrapper = [], uid }: LaunchOptions = {}) {
    const [command, ...args] = [...wrapper, process.execPath, LAUNCHER, 'serve'];
    const child = spawn(command, args, {
      cwd: tmpdir(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], PORT: '0', ...settings },
      ...(uid !== undefined && { uid, gid: uid }),
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    this.exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
    const address = once(child.stdout.setEncoding('utf8'), 'data').then(
      ([line]: string[]) => /https?:\/\/\S+/.exec(line!)![0],
    );
    const never = this.exited.then((exit): never => {
      throw new Error(`the server did not start (${exit}): ${this.#log.trim()}`);
    });
    this.#listening = Promise.race([address, never]);
    this.#listening.catch(() => undefined);
    this.exited.catch(() => undefined);
  }

  /** @throws Error if the process exits before it listens */
  async ready(): Promise<this> {
    this.#url = await withTimeout(START_TIMEOUT_SECONDS, 'the start', this.#listening);
    return this;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Standard error so far. */
  get log(): string {
    return this.#log;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** @returns exit code or signal */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.signal(signal);
    return withTimeout(EXIT_TIMEOUT_SECONDS, `the exit after ${signal}`, this.exited);
  }

  /** Kills the process group, the wrapper included. */
  destroy(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // It has exited meanwhile.
    }
  }
}
