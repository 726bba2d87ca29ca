import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { LAUNCHER, type ProgramResult } from '../product.ts';

/** A response, or a notification, which has no id. */
export interface RpcReply {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The product over stdio, to which a test writes. */
export class StdioProcess {
  /** What it has sent so far, in order. */
  readonly replies: RpcReply[] = [];
  /** Its exit code or signal, and what it wrote to standard error. */
  readonly exited: Promise<Pick<ProgramResult, 'status' | 'stderr'> & { signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };
  #buffer = '';

  constructor(t: { after: (end: () => unknown) => void }, settings: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [LAUNCHER, 'stdio'], {
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'], ...settings },
    });
    this.#child = child;
    t.after(() => child.kill('SIGKILL'));
    // The process may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (this.#buffer + chunk).split('\n');
      this.#buffer = lines.pop() ?? '';
      this.replies.push(...lines.map((line) => JSON.parse(line) as RpcReply));
    });
    this.exited = Promise.all([once(child, 'close'), text(child.stderr)]).then(
      ([[status, signal], stderr]) => ({
        status,
        signal,
        stderr,
      }),
    );
  }

  get pid(): number {
    return this.#child.pid!;
  }

  send(...messages: readonly object[]): void {
    this.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  }

  write(input: string | Buffer): void {
    this.#child.stdin.write(input);
  }

  /** Closes standard input. */
  end(): void {
    this.#child.stdin.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** @returns the replies to these requests, in the order of the ids */
  async repliesTo(...ids: readonly unknown[]): Promise<RpcReply[]> {
    const found: RpcReply[] = [];
    for (const id of ids) found.push(await this.#find((reply) => reply.id === id));
    return found;
  }

  /** @returns the first notification of the method */
  notice(method: string): Promise<RpcReply> {
    return this.#find((reply) => reply.method === method);
  }

  /** Settles once the replies so far fulfil a condition. */
  async until(isFulfilled: () => boolean): Promise<void> {
    while (!isFulfilled()) await once(this.#child.stdout, 'data');
  }

  async #find(isWanted: (reply: RpcReply) => boolean): Promise<RpcReply> {
    await this.until(() => this.replies.some(isWanted));
    return this.replies.find(isWanted)!;
  }
}
