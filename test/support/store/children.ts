import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const SCRIPT = join(import.meta.dirname, 'child.ts');
const LOADER = import.meta.resolve('tsx');

/** A child process that runs child.ts. */
export class Child {
  /** All lines of its standard output so far. */
  readonly lines: string[] = [];
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  #onLine = (): void => undefined;

  /**
   * @param after registers what ends the process after the test
   * @param modes of child.ts: `ignores-locks`, `sync=MS`
   * @param tracer a command that runs the command behind it in its own process
   */
  constructor(
    after: (end: () => void) => void,
    folder: string,
    name: string,
    modes: readonly string[] = [],
    tracer: readonly string[] = [],
  ) {
    const command = [...tracer, process.execPath, '--import', LOADER, SCRIPT, folder, name, ...modes];
    this.#process = spawn(command[0]!, command.slice(1), {
      cwd: tmpdir(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#ended = once(this.#process, 'exit');
    after(() => {
      this.signal('SIGKILL');
    });
    createInterface({ input: this.#process.stdout! }).on('line', (line) => {
      this.lines.push(line);
      this.#onLine();
    });
  }

  /** Resolves with all matching lines once there are `count` of them. */
  async waitForLines(matches: (line: string) => boolean, count = 1): Promise<string[]> {
    const found: string[] = [];
    // Each line is looked at once: a child may print tens of thousands.
    for (let seen = 0; ; ) {
      for (; seen < this.lines.length; seen++) {
        const line = this.lines[seen] ?? '';
        if (matches(line)) found.push(line);
      }
      if (found.length >= count) return found;
      await new Promise<void>((resolve) => (this.#onLine = resolve));
    }
  }

  ready(): Promise<unknown> {
    return this.waitForLines((line) => line === 'ready');
  }

  /** Runs a command. @returns its output without `done` */
  async run(command: string): Promise<string[]> {
    const before = this.lines.length;
    const done = this.lines.filter((line) => line === 'done').length;
    this.#process.stdin!.write(`${command}\n`);
    await this.waitForLines((line) => line === 'done', done + 1);
    return this.lines.slice(before, -1);
  }

  /** Sends a command without waiting for its end. */
  start(command: string): void {
    this.#process.stdin!.write(`${command}\n`);
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Sends SIGKILL. Resolves once the process has ended. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#ended;
  }

  /** Ends standard input, upon which the process closes the store. @returns its exit code */
  async close(): Promise<unknown> {
    this.#process.stdin!.end();
    await this.#ended;
    return this.#process.exitCode;
  }
}
