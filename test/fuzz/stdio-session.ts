import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { LAUNCHER } from '../support/product.ts';
import type { Asked } from './rpc-checks.ts';

const MOST_MEMORY_KB = 400 * 1024;
const LEVEL_ERROR = 50;
const STARTING_MS = 60_000;
const SETTINGS = {
  FEED_POSTS_PER_HOUR: '0',
  PORCH_WRITES_PER_HOUR: '0',
  PORCH_WRITES_PER_DAY: '0',
  REQUESTS_PER_MINUTE: '0',
};

/** Bytes for the standard input, cut into several writes. */
export interface Script {
  readonly bytes: Buffer;
  readonly cuts: readonly number[];
}

/** The product over stdio, as a host launches it. */
export class Session {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #deadlineMs: number;
  #out = '';
  #log = '';
  #pings = 0;
  #heard: () => void = () => undefined;

  private constructor(folder: string, deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
    const env = { PATH: process.env['PATH'], DATA_DIR: folder, ...SETTINGS };
    this.#child = spawn(process.execPath, [LAUNCHER, 'stdio'], { cwd: tmpdir(), env });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
      this.#heard();
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    this.#child.on('exit', () => {
      this.#heard();
    });
    this.#child.stdin.on('error', () => undefined);
  }

  /** @returns a session that answers */
  static async start(folder: string, deadlineMs: number): Promise<Session> {
    const session = new Session(folder, deadlineMs);
    await session.#ask(STARTING_MS, []);
    return session;
  }

  /** Passes over what comes within this time. */
  async pause(ms: number): Promise<void> {
    await sleep(ms);
    await this.#ask(this.#deadlineMs, []);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** @returns what was answered until every request, and one that comes behind them, had its answer */
  async say({ bytes, cuts }: Script, requests: readonly Asked[]): Promise<Record<string, unknown>[]> {
    const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
    let begun = 0;
    for (const end of ends) {
      this.#child.stdin.write(bytes.subarray(begun, end));
      begun = end;
      await setImmediate();
    }
    return this.#ask(this.#deadlineMs, requests);
  }

  async #ask(deadlineMs: number, requests: readonly Asked[]): Promise<Record<string, unknown>[]> {
    const ping = `ping ${++this.#pings}`;
    this.#child.stdin.write(`\n${JSON.stringify({ jsonrpc: '2.0', id: ping, method: 'ping' })}\n`);
    const late = performance.now() + deadlineMs;
    for (;;) {
      const answers = this.#answers();
      const count = (id: unknown, among: readonly { id?: unknown }[]): number =>
        among.filter((one) => one.id === id).length;
      if (count(ping, answers) > 0 && requests.every(({ id }) => count(id, answers) >= count(id, requests))) {
        this.#out = '';
        return answers.filter(({ id }) => id !== ping);
      }
      assert.equal(this.#child.exitCode, null, `it ended: ${this.#log.slice(-2000)}`);
      const left = late - performance.now();
      assert.ok(left > 0, `no answer within ${deadlineMs} ms; answered was ${this.#out.slice(0, 500)}`);
      await Promise.race([
        new Promise<void>((resolve) => {
          this.#heard = resolve;
        }),
        sleep(left, undefined, { ref: false }),
      ]);
    }
  }

  #answers(): Record<string, unknown>[] {
    return this.#out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Ends as a host ends it, and looks at what was logged and how much memory it had come to. */
  async end(): Promise<void> {
    const [, kilobytes = '0'] =
      /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    this.#child.stdin.end();
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    assert.ok(Number(kilobytes) < MOST_MEMORY_KB, `it came to ${kilobytes} kB`);
    for (const line of this.#log.split('\n').filter(Boolean)) {
      const entry = JSON.parse(line) as Record<string, unknown>;
      assert.ok(Number(entry['level']) < LEVEL_ERROR, line);
      assert.deepEqual(
        Object.keys(entry).filter((key) => !['level', 'time', 'event', 'msg'].includes(key)),
        [],
        line,
      );
    }
    assert.equal(code, 0, `it ended with ${code}: ${this.#log.slice(-2000)}`);
  }
}
