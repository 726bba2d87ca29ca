import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../scenario.ts';
import type { Chance } from './random.ts';
import type { Post, Reply, Write } from './publish.ts';
import { readFeed, type Feed } from './feed.ts';

const UNKNOWN_OUTCOMES: readonly (string | undefined)[] = ['storage_outcome_unknown', 'internal'];
const SOME_TEXT = 'Grüße 👩🏽‍🔬 "quoted" \\ \n';

/** Keeps what was sent and what was answered, to hold it against what the service says later. */
export class Book {
  readonly #chance: Chance;
  /** Everything sent; no text is sent twice but in a retry. */
  readonly #sent = new Set<string>();
  readonly #acknowledged = new Map<string, string>();
  /** Answered with a promise that nothing was stored. */
  readonly #refused = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #torn: string[] = [];

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** A text of its own. Now and then a long one, which may be torn in the middle. */
  newText(length = this.#chance.below(40) === 0 ? 7000 : this.#chance.below(300)): string {
    const text = `${this.#sent.size} ${SOME_TEXT.repeat(Math.ceil(length / SOME_TEXT.length))}`.trim();
    this.#sent.add(text);
    return text;
  }

  /** @returns undefined where the connection broke, so that nobody knows what became of it */
  async send(write: Write, text = this.newText(), key?: string): Promise<Reply | undefined> {
    try {
      const reply = await write(text, key);
      this.#note(text, reply);
      return reply;
    } catch {
      return undefined;
    }
  }

  #note(text: string, { post, code, retryAfter }: Reply): void {
    if (post === undefined) {
      if (!UNKNOWN_OUTCOMES.includes(code)) this.#refused.add(text);
      if (code?.startsWith('storage') === true && !(retryAfter! > 0))
        this.#torn.push(`${code} without Retry-After`);
      return;
    }
    this.#refused.delete(text);
    this.#acknowledged.set(post.id, text);
    if (post.message !== text) this.#torn.push('an answer holds another text');
  }

  /**
   * Holds the feed against the book: all that was acknowledged is there once, with its text; nothing that was refused,
   * nothing half, nothing twice; in order.
   * @param from `news`: trust what an earlier audit saw to be as it was, as long as the totals fit
   */
  async audit(url: string, tally: Tally, from: 'all' | 'news' = 'all'): Promise<void> {
    const feed = await readFeed(url, from === 'all' ? undefined : (id) => this.#seen.has(id));
    this.#judge(feed, tally);
    const there = new Map(feed.posts.map(({ id, message }) => [id, message]));
    const wanted = [...this.#acknowledged].filter(([id]) => from === 'all' || !this.#seen.has(id));
    tally.lost += wanted.filter(([id, text]) => there.get(id) !== text).length;
    if (from === 'all')
      tally.expect(
        [...this.#seen].every((id) => there.has(id)),
        'something that was shown is gone',
      );
    else tally.expect(feed.total === this.#seen.size + feed.posts.length, 'the totals do not fit the feed');
    for (const { id } of feed.posts) this.#seen.add(id);
    for (const what of this.#torn.splice(0)) tally.expect(false, what);
  }

  #judge({ posts }: Feed, tally: Tally): void {
    const messages = new Set<string>();
    let last: Post | undefined;
    for (const post of posts) {
      tally.expect(last === undefined || post.createdAt < last.createdAt, 'the stamps do not decrease');
      tally.expect(this.#sent.has(post.message), 'a text is there that nobody sent');
      tally.expect(!this.#refused.has(post.message), 'a write is there that was refused');
      tally.expect(!messages.has(post.message), 'a write is there twice');
      messages.add(post.message);
      last = post;
    }
  }
}

/** Writers that go on until they are told to stop, or the service is gone. */
export class Load {
  readonly #book: Book;
  /** Settles when all is written, or the service is gone. */
  readonly ended: Promise<unknown>;
  #left: number;

  constructor(book: Book, writes: readonly Write[], most = 20_000) {
    this.#book = book;
    this.#left = most;
    this.ended = Promise.all(writes.map((write) => this.#write(write)));
  }

  /** Lets what was sent be answered. */
  async stop(): Promise<void> {
    this.#left = 0;
    await this.ended;
  }

  async #write(write: Write): Promise<void> {
    while (this.#left-- > 0) {
      const reply = await this.#book.send(write);
      if (reply === undefined) return;
      if (reply.post === undefined) await sleep(20);
    }
  }
}
