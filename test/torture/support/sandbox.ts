import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { launchOverStdio } from '../../support/product.ts';
import { Server, type Way } from './server.ts';

type Settings = Readonly<Record<string, string>>;
type Undo = () => unknown;

/** @throws what the command said, where it failed */
export function command(name: string, ...args: string[]): string {
  const { status, error, stdout, stderr } = spawnSync(name, args, { encoding: 'utf8', timeout: 30_000 });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${name} ${args[0] ?? ''}: ${stderr.trim()}`);
  return stdout;
}

/** Where one promise is put to the test: what it starts and makes here is gone when it is closed. */
export class Place {
  readonly #undos: Undo[] = [];
  #root: Promise<string> | undefined;
  #folders = 0;
  #closed = false;
  #closing = Promise.resolve();

  /** A new folder on the real disk. */
  async folder(): Promise<string> {
    this.#refuseIfClosed();
    this.#root ??= this.#makeRoot();
    const path = join(await this.#root, String(++this.#folders));
    await mkdir(path);
    return path;
  }

  /** @param args for `mount`, but where @returns where */
  async mounted(...args: string[]): Promise<string> {
    const path = await this.folder();
    command('mount', ...args, path);
    this.defer(() => {
      spawnSync('umount', ['--lazy', path]);
    });
    return path;
  }

  /** Starts the product, and waits until it listens unless told otherwise. */
  async serve(settings: Settings, way?: Way): Promise<Server> {
    return this.launch(settings, way).ready();
  }

  launch(settings: Settings, way?: Way): Server {
    this.#refuseIfClosed();
    const server = new Server(settings, way);
    this.defer(() => {
      server.destroy();
    });
    return server;
  }

  /** An agent that launched the product over stdio. */
  async speak(settings: Settings): Promise<{ client: Client; pid: number }> {
    this.#refuseIfClosed();
    const agent = await launchOverStdio(settings);
    this.defer(() => agent.client.close());
    return agent;
  }

  /** Is done when the place is closed, the last first; at once, if it is. */
  defer(undo: Undo): void {
    this.#undos.push(undo);
    if (this.#closed) void this.close();
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#closing = this.#closing.then(() => this.#undo());
    return this.#closing;
  }

  async #undo(): Promise<void> {
    for (const undo of this.#undos.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        console.error(`not cleaned up: ${String(error)}`);
      }
    }
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new Error('the place is closed');
  }

  async #makeRoot(): Promise<string> {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'porchlight-torture-')));
    this.#undos.unshift(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
    return root;
  }
}
