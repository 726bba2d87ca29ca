import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { StdioProcess, type RpcReply } from '../support/mcp/stdio-process.ts';
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
  readonly #process: StdioProcess;
  readonly #deadlineMs: number;
  #pings = 0;

  private constructor(folder: string, deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
    this.#process = new StdioProcess({ after: () => undefined }, { DATA_DIR: folder, ...SETTINGS });
  }

  /** Settles once the process responds to a ping. */
  static async start(folder: string, deadlineMs: number): Promise<StdioSession> {
    const session = new StdioSession(folder, deadlineMs);
    await session.#awaitReplies([], START_TIMEOUT_MS);
    return session;
  }

  /** Waits, then discards the responses that arrived meanwhile. */
  async pause(ms: number): Promise<void> {
    await sleep(ms);
    await this.#awaitReplies([]);
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /**
   * Sends a script and a ping.
   * @returns the messages received until every request and the ping have a response
   */
  async send({ bytes, cuts }: InputScript, requests: readonly RpcRequest[]): Promise<RpcReply[]> {
    const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
    let start = 0;
    for (const end of ends) {
      this.#process.write(bytes.subarray(start, end));
      start = end;
      await setImmediate();
    }
    return this.#awaitReplies(requests);
  }

  async #awaitReplies(requests: readonly RpcRequest[], deadlineMs = this.#deadlineMs): Promise<RpcReply[]> {
    const ping = `ping ${++this.#pings}`;
    const { replies, exited } = this.#process;
    this.#process.write('\n');
    this.#process.send({ id: ping, method: 'ping' });
    const count = (id: unknown, among: readonly { id?: unknown }[]): number =>
      among.filter((one) => one.id === id).length;
    const deadline = new AbortController();
    await Promise.race([
      this.#process.until(() =>
        [{ id: ping }, ...requests].every(({ id }, _, all) => count(id, replies) >= count(id, all)),
      ),
      exited.then(({ stderr }) => assert.fail(`the process exited: ${stderr.slice(-2000)}`)),
      sleep(deadlineMs, undefined, { signal: deadline.signal }).then(() =>
        assert.fail(`no response within ${deadlineMs} ms; received ${JSON.stringify(replies).slice(0, 500)}`),
      ),
    ]);
    deadline.abort();
    return replies.splice(0).filter(({ id }) => id !== ping);
  }

  /** Closes standard input as a host does, and checks exit code, log and memory. */
  async end(): Promise<void> {
    const [, kilobytes = '0'] =
      /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#process.pid}/status`, 'utf8')) ?? [];
    this.#process.end();
    const { status, stderr } = await this.#process.exited;
    assert.ok(Number(kilobytes) < MAX_MEMORY_KB, `${kilobytes} kB resident`);
    for (const line of stderr.split('\n').filter(Boolean)) {
      const entry = JSON.parse(line) as Record<string, unknown>;
      assert.ok(Number(entry['level']) < LEVEL_ERROR, line);
      assert.deepEqual(
        Object.keys(entry).filter((key) => !['level', 'time', 'event', 'msg'].includes(key)),
        [],
        line,
      );
    }
    assert.equal(status, 0, `exit code ${status}: ${stderr.slice(-2000)}`);
  }
}
