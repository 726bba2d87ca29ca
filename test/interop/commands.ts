import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withTimeout } from '../torture/support/time.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  readonly folder: string;
  readonly seconds?: number;
  readonly settings?: NodeJS.ProcessEnv;
  /** Stops the command. */
  readonly signal?: AbortSignal;
}

const TIMEOUT_SECONDS = 90;

/** Runs each command in a process group, which is killed as a whole. */
export class Commands {
  readonly #running = new Set<ChildProcess>();
  /** The path of the Node that clients run on. */
  node = process.execPath;

  /**
   * Runs a client with a home folder of its own and without the environment of this process, which may hold
   * keys.
   */
  async runClient(
    file: string,
    args: readonly string[],
    { settings, ...options }: CommandOptions,
  ): Promise<CommandResult> {
    const PATH = `${dirname(this.node)}:${process.env['PATH'] ?? ''}`;
    const HOME = join(options.folder, 'home');
    await mkdir(HOME, { recursive: true });
    return this.run(file, args, { ...options, settings: { PATH, HOME, NO_COLOR: '1', ...settings } });
  }

  /** @throws Error if the command cannot start or exceeds the timeout */
  async run(
    file: string,
    args: readonly string[],
    { folder, seconds = TIMEOUT_SECONDS, settings = process.env, signal }: CommandOptions,
  ): Promise<CommandResult> {
    const child = spawn(file, args, {
      cwd: folder,
      env: settings,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    this.#running.add(child);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('exit', () => {
      this.#end(child);
    });
    signal?.addEventListener('abort', () => {
      this.#end(child);
    });
    try {
      await withTimeout(seconds, file.split('/').at(-1)!, closed);
    } finally {
      this.#end(child);
    }
    return { code: child.exitCode, stdout, stderr };
  }

  close(): void {
    for (const child of this.#running) this.#end(child);
  }

  #end(child: ChildProcess): void {
    if (!this.#running.delete(child) || child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has exited.
    }
  }
}
