import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { LAUNCHER } from '../support/product.ts';
import type { RpcRequest } from './rpc-checks.ts';

const MAX_MEMORY_KB = 400 * 1024;
const LEVEL_ERROR = 50;
const START_TIMEOUT_MS = 60_000;
const SETTINGS = {
  FEED_POSTS_PER_HOUR: '0',
  PORCH_WRITES_PER_HOUR: '0',
  PORCH_WRITES_PER_DAY: '0',
  REQUESTS_PER_MINUTE: '0',
};

/** Bytes for standard input, split into several writes. */
export interface InputScript {
  readonly bytes: Buffer;
  readonly cuts: readonly number[];
}

/** The product over stdio, launched as a host does. */
export class StdioSession {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #deadlineMs: number;
  #out = '';
  #log = '';
  #pings = 0;
  #onOutput: () => void = () => undefined;

  private constructor(folder: string, deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
    const env = { PATH: process.env['PATH'], DATA_DIR: folder, ...SETTINGS };
    this.#child = spawn(process.execPath, [LAUNCHER, 'stdio'], { cwd: tmpdir(), env });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
      this.#onOutput();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    this.#child.on('exit', () => {
      this.#onOutput();
    });
    this.#child.stdin.on('error', () => undefined);
  }

  /** Settles once the process responds to a ping. */
  static async start(folder: string, deadlineMs: number): Promise<StdioSession> {
    const session = new StdioSession(folder, deadlineMs);
    await session.#awaitResponses(START_TIMEOUT_MS, []);
    return session;
  }

  /** Waits, then discards the responses that arrived meanwhile. */
  async pause(ms: number): Promise<void> {
    await sleep(ms);
    await this.#awaitResponses(this.#deadlineMs, []);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /**
   * Sends a script and a ping.
   * @returns the messages received until every request and the ping have a response
   */
  async send(
    { bytes, cuts }: InputScript,
    requests: readonly RpcRequest[],
  ): Promise<Record<string, unknown>[]> {
    const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
    let start = 0;
    for (const end of ends) {
      this.#child.stdin.write(bytes.subarray(start, end));
      start = end;
      await setImmediate();
    }
    return this.#awaitResponses(this.#deadlineMs, requests);
  }

  async #awaitResponses(
    deadlineMs: number,
    requests: readonly RpcRequest[],
  ): Promise<Record<string, unknown>[]> {
    const ping = `ping ${++this.#pings}`;
    this.#child.stdin.write(`\n${JSON.stringify({ jsonrpc: '2.0', id: ping, method: 'ping' })}\n`);
    const deadline = performance.now() + deadlineMs;
    for (;;) {
      const responses = this.#responses();
      const count = (id: unknown, among: readonly { id?: unknown }[]): number =>
        among.filter((one) => one.id === id).length;
      if (
        count(ping, responses) > 0 &&
        requests.every(({ id }) => count(id, responses) >= count(id, requests))
      ) {
        this.#out = '';
        return responses.filter(({ id }) => id !== ping);
      }
      assert.equal(this.#child.exitCode, null, `the process exited: ${this.#log.slice(-2000)}`);
      const remainingMs = deadline - performance.now();
      assert.ok(remainingMs > 0, `no response within ${deadlineMs} ms; received ${this.#out.slice(0, 500)}`);
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#onOutput = resolve;
        }),
        sleep(remainingMs, undefined, { ref: false }),
      ]);
    }
  }

  #responses(): Record<string, unknown>[] {
    return this.#out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Closes standard input as a host does, and checks exit code, log and memory. */
  async end(): Promise<void> {
    const [, kilobytes = '0'] =
      /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    this.#child.stdin.end();
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    assert.ok(Number(kilobytes) < MAX_MEMORY_KB, `${kilobytes} kB resident`);
    for (const line of this.#log.split('\n').filter(Boolean)) {
      const entry = JSON.parse(line) as Record<string, unknown>;
      assert.ok(Number(entry['level']) < LEVEL_ERROR, line);
      assert.deepEqual(
        Object.keys(entry).filter((key) => !['level', 'time', 'event', 'msg'].includes(key)),
        [],
        line,
      );
    }
    assert.equal(code, 0, `exit code ${code}: ${this.#log.slice(-2000)}`);
  }
}
