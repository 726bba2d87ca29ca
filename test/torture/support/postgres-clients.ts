import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../scenario.ts';
import type { WriteRecorder } from './write-recorder.ts';
import type { SeededRandom } from './random.ts';
import type { Receipt, Reply, Publish } from './publish.ts';
import { readFeed, type Post } from './feed.ts';
import type { Server } from './server.ts';
import { waitUntil, secondsSince } from './time.ts';

const RESPONSE_TIMEOUT_SECONDS = 5;
const RECOVERY_SECONDS = 30;

const CLIENT_TIMEOUT_MS = 60_000;
const WRITERS = 8;
const PAUSE_MS = 50;

/** Pages that a reader reads before it starts again with the newest. */
const MAX_PAGES = 20;

interface Page {
  readonly nextBefore: string | null;
  readonly messages: readonly Post[];
}

interface JsonResponse<Body> {
  readonly status: number;
  readonly body: Body & { readonly code?: string };
  readonly retryAfter: number | undefined;
}

async function fetchJson<Body>(url: string, init: RequestInit = {}): Promise<JsonResponse<Body>> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS) });
  const retryAfter = response.headers.get('Retry-After');
  const body = (await response.json()) as Body & { code?: string };
  return { status: response.status, body, retryAfter: retryAfter === null ? undefined : Number(retryAfter) };
}

/** @returns an address in a network of this text alone, so that no post exceeds a rate limit */
function addressFor(text: string): string {
  const number = Number.parseInt(text);
  return `2001:db8:${Math.trunc(number / 0x10000).toString(16)}:${(number % 0x10000).toString(16)}::1`;
}

/**
 * Statuses and latencies of responses. A response must be the expected status or a 503 with its code, in
 * time.
 */
class ResponseStats {
  readonly #tally: Tally;
  readonly #counts = new Map<string, number>();
  #slowest = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  get slowest(): number {
    return this.#slowest;
  }

  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** @param maxSeconds within which a response must arrive */
  async measure<Body>(
    expectedStatus: number,
    maxSeconds: number,
    sendRequest: () => Promise<JsonResponse<Body>>,
  ): Promise<JsonResponse<Body>> {
    const start = performance.now();
    try {
      const response = await sendRequest();
      this.#check(expectedStatus, response);
      return response;
    } catch (error) {
      this.#increment('lost');
      throw error;
    } finally {
      const seconds = secondsSince(start);
      this.#slowest = Math.max(this.#slowest, seconds);
      this.#tally.expectFast(seconds <= maxSeconds, `a response took longer than ${maxSeconds} s`);
    }
  }

  /** Each text comes from a network of its own. */
  overRest(url: string): Publish {
    return async (message, key) => {
      const headers = {
        'Content-Type': 'application/json',
        'X-Forwarded-For': addressFor(message),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      };
      const { status, body, retryAfter } = await this.measure(201, RESPONSE_TIMEOUT_SECONDS, () =>
        fetchJson<Receipt>(`${url}/api/feed`, { method: 'POST', headers, body: JSON.stringify({ message }) }),
      );
      return { post: status === 201 ? body : undefined, code: body.code, retryAfter };
    };
  }

  #check(expectedStatus: number, { status, body: { code }, retryAfter }: JsonResponse<unknown>): void {
    this.#increment(status === expectedStatus ? String(status) : (code ?? String(status)));
    if (status === expectedStatus || code === 'rate_limited') return;
    const isExpected =
      status === 503 &&
      (code === 'storage_unavailable' || (expectedStatus === 201 && code === 'storage_outcome_unknown'));
    this.#tally.expect(isExpected, `a response was ${status} ${code ?? 'without a code'}`);
    this.#tally.expect(retryAfter! > 0, `${code ?? status} without Retry-After`);
  }

  #increment(key: string): void {
    this.#counts.set(key, this.count(key) + 1);
  }
}

interface LoadClientsOptions {
  readonly recorder: WriteRecorder;
  readonly random: SeededRandom;
  readonly tally: Tally;
  readonly servers: readonly Server[];
}

/**
 * Clients of instances that share a database: eight write, most with a key, and one reads, each time at the
 * next instance.
 */
export class LoadClients {
  readonly writes: ResponseStats;
  readonly reads: ResponseStats;
  readonly #options: LoadClientsOptions;
  readonly #running: Promise<unknown>;
  readonly #pageReads: string[][] = [];
  #requestCount = 0;
  /** createdAt of the newest acknowledged post. */
  #newestAcknowledged = '';
  /** When the writers give up; Infinity until `recover` ends them. */
  #endTime = Infinity;

  constructor(options: LoadClientsOptions) {
    this.#options = options;
    this.writes = new ResponseStats(options.tally);
    this.reads = new ResponseStats(options.tally);
    this.#running = Promise.all([this.#read(), ...Array.from({ length: WRITERS }, () => this.#write())]);
  }

  /**
   * After an outage: expects every instance to store writes and to be healthy again without a restart. Then
   * ends the clients and compares their responses with the feed.
   * @returns seconds until the last instance had recovered
   */
  async recover(): Promise<number> {
    const { recorder, tally, servers } = this.#options;
    const start = performance.now();
    await Promise.all(
      servers.map(async ({ url }) => {
        const write = this.writes.overRest(url);
        const hasRecovered = await waitUntil(
          RECOVERY_SECONDS,
          async () => (await recorder.send(write))?.post !== undefined,
        );
        tally.expect(hasRecovered, `an instance stored no write ${RECOVERY_SECONDS} s later`);
        const isHealthy = await waitUntil(
          RECOVERY_SECONDS,
          async () => (await fetch(`${url}/healthz`)).status === 200,
        );
        tally.expect(isHealthy, `an instance was not healthy ${RECOVERY_SECONDS} s later`);
      }),
    );
    const seconds = secondsSince(start);
    this.#endTime = performance.now() + RECOVERY_SECONDS * 1000;
    await this.#running;
    for (const { url } of servers) await recorder.audit(url, tally);
    await this.#checkPageReads();
    tally.expect(this.writes.count('lost') + this.reads.count('lost') === 0, 'an instance sent no response');
    return seconds;
  }

  get summary(): string {
    const { writes, reads } = this;
    const unknown = writes.count('storage_outcome_unknown');
    return (
      `${writes.count('201')} times 201, ${writes.count('storage_unavailable') + unknown} times 503 (${unknown} unknown), ` +
      `slowest ${writes.slowest} s; pages: ${reads.count('200')} times 200, ${reads.count('storage_unavailable')} times 503, ` +
      `slowest ${reads.slowest} s`
    );
  }

  get #isEnding(): boolean {
    return this.#endTime !== Infinity;
  }

  #nextUrl(): string {
    const { servers } = this.#options;
    return servers[this.#requestCount++ % servers.length]!.url;
  }

  async #write(): Promise<void> {
    const { recorder, random } = this.#options;
    while (!this.#isEnding) {
      if (random.below(4) > 0) await this.#retryUntilStored(recorder.newText());
      else if ((await this.#send(recorder.newText()))?.post === undefined) await sleep(PAUSE_MS);
    }
  }

  /** Posts once. Without a key there is no retry, so after a rejection the post must not be in the feed. */
  async #send(text: string, key?: string): Promise<Reply | undefined> {
    const reply = await this.#options.recorder.send(this.writes.overRest(this.#nextUrl()), text, key);
    if (reply?.post !== undefined && reply.post.createdAt > this.#newestAcknowledged)
      this.#newestAcknowledged = reply.post.createdAt;
    return reply;
  }

  /** Posts with a key until a response acknowledges it. */
  async #retryUntilStored(text: string): Promise<void> {
    // Every text of a recorder begins with a number of its own.
    const key = `of-clients-${Number.parseInt(text)}`;
    while (performance.now() < this.#endTime) {
      if ((await this.#send(text, key))?.post !== undefined) return;
      await sleep(PAUSE_MS);
    }
    this.#options.tally.expect(false, `a post was not stored ${RECOVERY_SECONDS} s later`);
  }

  async #read(): Promise<void> {
    while (!this.#isEnding) this.#pageReads.push(await this.#readPages());
  }

  /** @returns the ids on up to MAX_PAGES pages, newest first */
  async #readPages(): Promise<string[]> {
    const { random, tally } = this.#options;
    const limit = 1 + random.below(100);
    const seen: string[] = [];
    for (let pages = 0, before = ''; pages < MAX_PAGES; pages++) {
      const known = this.#newestAcknowledged;
      const page = await this.#readPage(`/api/feed?limit=${limit}${before}`);
      if (page === undefined) break;
      const { messages, nextBefore } = page;
      tally.expect(
        pages > 0 || (messages[0]?.createdAt ?? '') >= known,
        'a read did not contain a post that was acknowledged before',
      );
      seen.push(...messages.map(({ id }) => id));
      if (nextBefore === null) break;
      before = `&before=${encodeURIComponent(nextBefore)}`;
    }
    return seen;
  }

  /** Retries until the status is 200. @returns undefined if the clients end before that */
  async #readPage(path: string): Promise<Page | undefined> {
    while (!this.#isEnding) {
      const url = this.#nextUrl() + path;
      const response = await this.reads
        .measure(200, RESPONSE_TIMEOUT_SECONDS, () => fetchJson<Page>(url))
        .catch(() => undefined);
      if (response?.status === 200) return response.body;
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  /** Pages that were read during writes must be consecutive posts of the final feed. */
  async #checkPageReads(): Promise<void> {
    const { tally, servers } = this.#options;
    const { posts } = await readFeed(servers[0]!.url);
    const positions = new Map(posts.map(({ id }, position) => [id, position]));
    for (const seen of this.#pageReads) {
      const first = positions.get(seen[0] ?? '') ?? 0;
      tally.expect(
        seen.every((id, n) => positions.get(id) === first + n),
        'pages skipped or repeated a post',
      );
    }
  }
}

/** Stops every instance, and expects a clean exit and no fatal log line. */
export async function stopAll(servers: readonly Server[], tally: Tally): Promise<void> {
  const ends = await Promise.all(servers.map((server) => server.end('SIGTERM')));
  tally.expect(
    ends.every((exit) => exit === 0),
    'an instance did not stop cleanly',
  );
  tally.expect(!servers.some(({ log }) => log.includes('"level":60')), 'an instance logged a fatal error');
}
