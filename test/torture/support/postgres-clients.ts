import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../scenario.ts';
import type { Book } from './write-recorder.ts';
import type { Chance } from './random.ts';
import type { Post, Reply, Write } from './publish.ts';
import { readFeed } from './feed.ts';
import type { Server } from './server.ts';
import { comesTrue, secondsSince } from './time.ts';

export const ANSWER_SECONDS = 5;
export const HEALTH_SECONDS = 6;
export const RECOVERY_SECONDS = 30;

const PATIENCE_MS = 60_000;
const WRITERS = 8;
const PAUSE_MS = 50;

/** A reader who looks back so far has seen enough for once. */
const MOST_PAGES = 20;

interface Page {
  readonly nextBefore: string | null;
  readonly messages: readonly Post[];
}

interface Answer<Body> {
  readonly status: number;
  readonly body: Body & { readonly code?: string };
  readonly retryAfter: number | undefined;
}

async function fetchJson<Body>(url: string, init: RequestInit = {}): Promise<Answer<Body>> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
  const retryAfter = answer.headers.get('Retry-After');
  const body = (await answer.json()) as Body & { code?: string };
  return { status: answer.status, body, retryAfter: retryAfter === null ? undefined : Number(retryAfter) };
}

/** Every text comes from a network of its own, each time it is sent, so that limits are counted, and let it pass. */
function networkOf(text: string): string {
  const number = Number.parseInt(text);
  return `2001:db8:${Math.trunc(number / 0x10000).toString(16)}:${(number % 0x10000).toString(16)}::1`;
}

/** What clients were told, and how long they waited for it: it is what was asked for, or 503 that says why, soon. */
export class Answers {
  readonly #tally: Tally;
  readonly #counts = new Map<string, number>();
  #slowest = 0;

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  get slowest(): number {
    return this.#slowest;
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** @param patience for how long an instance may leave a client without an answer */
  async ask<Body>(
    wanted: number,
    patience: number,
    asking: () => Promise<Answer<Body>>,
  ): Promise<Answer<Body>> {
    const start = performance.now();
    try {
      const answer = await asking();
      this.#note(wanted, answer);
      return answer;
    } catch (error) {
      this.#raise('lost');
      throw error;
    } finally {
      const seconds = secondsSince(start);
      this.#slowest = Math.max(this.#slowest, seconds);
      this.#tally.expect(seconds <= patience, `an answer took longer than ${patience} s`);
    }
  }

  /** @param from an address of the network that it comes from, if not of one of its own */
  overRest(url: string, from?: string, patience = ANSWER_SECONDS): Write {
    return async (message, key) => {
      const headers = {
        'Content-Type': 'application/json',
        'X-Forwarded-For': from ?? networkOf(message),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      };
      const { status, body, retryAfter } = await this.ask(201, patience, () =>
        fetchJson<Post>(`${url}/api/feed`, { method: 'POST', headers, body: JSON.stringify({ message }) }),
      );
      return { post: status === 201 ? body : undefined, code: body.code, retryAfter };
    };
  }

  /** Asks an instance how it is. */
  async healthz(url: string, patience: number): Promise<void> {
    await this.ask(200, patience, () => fetchJson(`${url}/healthz`));
  }

  #note(wanted: number, { status, body: { code }, retryAfter }: Answer<unknown>): void {
    this.#raise(status === wanted ? String(status) : (code ?? String(status)));
    if (status === wanted || code === 'rate_limited') return;
    const isWorded =
      status === 503 &&
      (code === 'storage_unavailable' || (wanted === 201 && code === 'storage_outcome_unknown'));
    this.#tally.expect(isWorded, `an answer was ${status} ${code ?? 'without a code'}`);
    this.#tally.expect(retryAfter! > 0, `${code ?? status} without Retry-After`);
  }

  #raise(what: string): void {
    this.#counts.set(what, this.count(what) + 1);
  }
}

interface Setting {
  readonly book: Book;
  readonly chance: Chance;
  readonly tally: Tally;
  readonly servers: readonly Server[];
}

/** Clients of instances that share a database: eight write, most with a key, and one reads, each time at the next instance. */
export class Clients {
  readonly writes: Answers;
  readonly reads: Answers;
  readonly #setting: Setting;
  readonly #running: Promise<unknown>;
  readonly #sweeps: string[][] = [];
  #turns = 0;
  /** The stamp of the newest post that anybody was told to be there. */
  #newest = '';
  /** When to give up, once they are to end. */
  #end = Infinity;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.writes = new Answers(setting.tally);
    this.reads = new Answers(setting.tally);
    this.#running = Promise.all([this.#read(), ...Array.from({ length: WRITERS }, () => this.#write())]);
  }

  /**
   * The trouble is over: every instance takes writes again by itself, and is well. Then the clients end, and what they
   * were told is held against what there is.
   * @returns how long that took at most, in seconds
   */
  async recover(): Promise<number> {
    const { book, tally, servers } = this.#setting;
    const start = performance.now();
    await Promise.all(
      servers.map(async ({ url }) => {
        const write = this.writes.overRest(url);
        const takes = await comesTrue(
          RECOVERY_SECONDS,
          async () => (await book.send(write))?.post !== undefined,
        );
        tally.expect(takes, `an instance took no writes ${RECOVERY_SECONDS} s later`);
        const isWell = await comesTrue(
          RECOVERY_SECONDS,
          async () => (await fetch(`${url}/healthz`)).status === 200,
        );
        tally.expect(isWell, `an instance was not well ${RECOVERY_SECONDS} s later`);
      }),
    );
    const seconds = secondsSince(start);
    this.#end = performance.now() + RECOVERY_SECONDS * 1000;
    await this.#running;
    for (const { url } of servers) await book.audit(url, tally);
    await this.#judgeSweeps();
    tally.expect(this.writes.count('lost') + this.reads.count('lost') === 0, 'an instance gave no answer');
    return seconds;
  }

  get told(): string {
    const { writes, reads } = this;
    const unknown = writes.count('storage_outcome_unknown');
    return (
      `${writes.count('201')} times 201, ${writes.count('storage_unavailable') + unknown} times 503 (${unknown} unknown), ` +
      `slowest ${writes.slowest} s; pages: ${reads.count('200')} times 200, ${reads.count('storage_unavailable')} times 503, ` +
      `slowest ${reads.slowest} s`
    );
  }

  get #isEnding(): boolean {
    return this.#end !== Infinity;
  }

  #next(): string {
    const { servers } = this.#setting;
    return servers[this.#turns++ % servers.length]!.url;
  }

  async #write(): Promise<void> {
    const { book, chance } = this.#setting;
    while (!this.#isEnding) {
      if (chance.below(4) > 0) await this.#insist(book.newText());
      else if ((await this.#send(book.newText()))?.post === undefined) await sleep(PAUSE_MS);
    }
  }

  /** Who has no key asks once: told that nothing was stored, nothing must be there. */
  async #send(text: string, key?: string): Promise<Reply | undefined> {
    const reply = await this.#setting.book.send(this.writes.overRest(this.#next()), text, key);
    if (reply?.post !== undefined && reply.post.createdAt > this.#newest) this.#newest = reply.post.createdAt;
    return reply;
  }

  /** Asks again and again with the same key. */
  async #insist(text: string): Promise<void> {
    // No two texts of a book begin with the same number.
    const key = `of-clients-${Number.parseInt(text)}`;
    while (performance.now() < this.#end) {
      if ((await this.#send(text, key))?.post !== undefined) return;
      await sleep(PAUSE_MS);
    }
    this.#setting.tally.expect(false, `a post was not taken ${RECOVERY_SECONDS} s later`);
  }

  async #read(): Promise<void> {
    while (!this.#isEnding) this.#sweeps.push(await this.#sweep());
  }

  /** @returns the ids on some pages, the newest first */
  async #sweep(): Promise<string[]> {
    const { chance, tally } = this.#setting;
    const limit = 1 + chance.below(100);
    const seen: string[] = [];
    for (let pages = 0, before = ''; pages < MOST_PAGES; pages++) {
      const known = this.#newest;
      const page = await this.#page(`/api/feed?limit=${limit}${before}`);
      if (page === undefined) break;
      const { messages, nextBefore } = page;
      tally.expect(
        pages > 0 || (messages[0]?.createdAt ?? '') >= known,
        'a read did not show what was acknowledged before',
      );
      seen.push(...messages.map(({ id }) => id));
      if (nextBefore === null) break;
      before = `&before=${encodeURIComponent(nextBefore)}`;
    }
    return seen;
  }

  /** @returns undefined where there is none before the clients end. */
  async #page(path: string): Promise<Page | undefined> {
    while (!this.#isEnding) {
      const url = this.#next() + path;
      const answer = await this.reads
        .ask(200, ANSWER_SECONDS, () => fetchJson<Page>(url))
        .catch(() => undefined);
      if (answer?.status === 200) return answer.body;
      await sleep(PAUSE_MS);
    }
    return undefined;
  }

  /** Pages that were read while others wrote hold a stretch of what there is in the end, without a gap. */
  async #judgeSweeps(): Promise<void> {
    const { tally, servers } = this.#setting;
    const { posts } = await readFeed(servers[0]!.url);
    const places = new Map(posts.map(({ id }, place) => [id, place]));
    for (const seen of this.#sweeps) {
      const first = places.get(seen[0] ?? '') ?? 0;
      tally.expect(
        seen.every((id, n) => places.get(id) === first + n),
        'pages skipped or repeated something',
      );
    }
  }
}

/** @returns whether all ended as they should */
export async function endAll(servers: readonly Server[], tally: Tally): Promise<void> {
  const ends = await Promise.all(servers.map((server) => server.end('SIGTERM')));
  tally.expect(
    ends.every((how) => how === 0),
    'an instance did not stop cleanly',
  );
  tally.expect(
    !servers.some(({ log }) => log.includes('"level":60')),
    'an instance logged that it was in ruins',
  );
}
