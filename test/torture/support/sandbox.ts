import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, type LaunchOptions } from './server.ts';

type Settings = Readonly<Record<string, string>>;
type Cleanup = () => unknown;

/** @throws Error with the standard error of the command if it fails */
export function runCommand(name: string, ...args: string[]): string {
  const { status, error, stdout, stderr } = spawnSync(name, args, { encoding: 'utf8', timeout: 30_000 });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${name} ${args[0] ?? ''}: ${stderr.trim()}`);
  return stdout;
}

/** The processes, folders and mounts of one scenario, which `close` removes. */
export class Sandbox {
  readonly #cleanups: Cleanup[] = [];
  #root: Promise<string> | undefined;
  #folders = 0;
  #closed = false;
  #closing = Promise.resolve();

  /** Creates an empty folder on the real disk. */
  async createFolder(): Promise<string> {
    this.#assertOpen();
    this.#root ??= this.#createRoot();
    const path = join(await this.#root, String(++this.#folders));
    await mkdir(path);
    return path;
  }

  /** Mounts a file system. @param args of `mount` without the mount point @returns the mount point */
  async mount(...args: string[]): Promise<string> {
    const path = await this.createFolder();
    runCommand('mount', ...args, path);
    this.after(() => {
      spawnSync('umount', ['--lazy', path]);
    });
    return path;
  }

  /** Starts the service, and waits until it listens. */
  async serve(settings: Settings, options?: LaunchOptions): Promise<Server> {
    return this.launch(settings, options).ready();
  }

  launch(settings: Settings, options?: LaunchOptions): Server {
    this.#assertOpen();
    const server = new Server(settings, options);
    this.after(() => {
      server.destroy();
    });
    return server;
  }

  /** Runs `cleanup` on close, in reverse order; at once if the sandbox is closed. */
  after(cleanup: Cleanup): void {
    this.#cleanups.push(cleanup);
    if (this.#closed) void this.close();
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#closing = this.#closing.then(() => this.#runCleanups());
    return this.#closing;
  }

  async #runCleanups(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanup();
      } catch (error) {
        console.error(`not cleaned up: ${String(error)}`);
      }
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new Error('the sandbox is closed');
  }

  async #createRoot(): Promise<string> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'porchlight-torture-')));
    this.#cleanups.unshift(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
    return root;
  }
}
