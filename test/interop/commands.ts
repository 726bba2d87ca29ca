import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withTimeout } from '../torture/support/time.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Way {
  readonly folder: string;
  readonly seconds?: number;
  readonly settings?: NodeJS.ProcessEnv;
}

const SECONDS = 90;

/** Runs commands in process groups of their own, so that nothing a client started outlives it. */
export class Commands {
  readonly #running = new Set<ChildProcess>();
  /** The Node that clients run on. */
  node = process.execPath;

  /** A client sees neither our settings nor those of whoever runs this: no keys, and a home of its own. */
  async client(file: string, args: readonly string[], { settings, ...way }: Way): Promise<Ended> {
    const PATH = `${dirname(this.node)}:${process.env['PATH'] ?? ''}`;
    const HOME = join(way.folder, 'home');
    await mkdir(HOME, { recursive: true });
    return this.run(file, args, { ...way, settings: { PATH, HOME, NO_COLOR: '1', ...settings } });
  }

  /** @throws where it cannot start, or takes too long */
  async run(
    file: string,
    args: readonly string[],
    { folder, seconds = SECONDS, settings = process.env }: Way,
  ): Promise<Ended> {
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
      // Nobody is left.
    }
  }
}
