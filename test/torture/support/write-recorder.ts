import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../scenario.ts';
import type { SeededRandom } from './random.ts';
import type { Reply, Publish } from './publish.ts';
import { readFeed, type Feed, type Post } from './feed.ts';

const UNKNOWN_OUTCOMES: readonly (string | undefined)[] = ['storage_outcome_unknown', 'internal'];
const SOME_TEXT = 'Grüße 👩🏽‍🔬 "quoted" \\ \n';

/** Records every write and its response, to compare them with the feed later. */
export class WriteRecorder {
  readonly #random: SeededRandom;
  /** Texts sent. Invariant: a text is sent twice only in a retry. */
  readonly #sent = new Set<string>();
  /** Texts by post id. */
  readonly #acknowledged = new Map<string, string>();
  /** Texts whose response says that nothing was stored. */
  readonly #rejected = new Set<string>();
  /** Ids that an audit has found. */
  readonly #seen = new Set<string>();
  readonly #mismatches: string[] = [];

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** @returns a unique text; one of 40 is long, so that a crash may tear it */
  newText(length = this.#random.below(40) === 0 ? 7000 : this.#random.below(300)): string {
    const text = `${this.#sent.size} ${SOME_TEXT.repeat(Math.ceil(length / SOME_TEXT.length))}`.trim();
    this.#sent.add(text);
    return text;
  }

  /** @returns undefined if the connection broke, so that the outcome is unknown */
  async send(write: Publish, text = this.newText(), key?: string): Promise<Reply | undefined> {
    try {
      const reply = await write(text, key);
      this.#record(text, reply);
      return reply;
    } catch {
      return undefined;
    }
  }

  #record(text: string, { post, code, retryAfter }: Reply): void {
    if (post === undefined) {
      if (!UNKNOWN_OUTCOMES.includes(code)) this.#rejected.add(text);
      if (code?.startsWith('storage') === true && !(retryAfter! > 0))
        this.#mismatches.push(`${code} without Retry-After`);
      return;
    }
    this.#rejected.delete(text);
    this.#acknowledged.set(post.id, text);
  }

  /**
   * Compares the feed with the records: every acknowledged post is there once with its text, no rejected one,
   * in order.
   * @param from `news` reads only the posts since the last audit, and compares the total
   */
  async audit(url: string, tally: Tally, from: 'all' | 'news' = 'all'): Promise<void> {
    const feed = await readFeed(url, from === 'all' ? undefined : (id) => this.#seen.has(id));
    this.#checkPosts(feed, tally);
    const found = new Map(feed.posts.map(({ id, message }) => [id, message]));
    const expected = [...this.#acknowledged].filter(([id]) => from === 'all' || !this.#seen.has(id));
    tally.lost += expected.filter(([id, text]) => found.get(id) !== text).length;
    if (from === 'all')
      tally.expect(
        [...this.#seen].every((id) => found.has(id)),
        'a post that was read before is missing',
      );
    else
      tally.expect(feed.total === this.#seen.size + feed.posts.length, 'the total does not match the feed');
    for (const { id } of feed.posts) this.#seen.add(id);
    for (const mismatch of this.#mismatches.splice(0)) tally.expect(false, mismatch);
  }

  #checkPosts({ posts }: Feed, tally: Tally): void {
    const messages = new Set<string>();
    let last: Post | undefined;
    for (const post of posts) {
      tally.expect(last === undefined || post.createdAt < last.createdAt, 'createdAt does not decrease');
      tally.expect(this.#sent.has(post.message), 'a post has a text that was not sent');
      tally.expect(!this.#rejected.has(post.message), 'a rejected write was stored');
      tally.expect(!messages.has(post.message), 'a write was stored twice');
      messages.add(post.message);
      last = post;
    }
  }
}

/** Writers that post until `stop`, the maximum, or a broken connection. */
export class LoadGenerator {
  readonly #recorder: WriteRecorder;
  /** Settles when every writer has ended. */
  readonly ended: Promise<unknown>;
  #remaining = 20_000;

  constructor(recorder: WriteRecorder, writes: readonly Publish[]) {
    this.#recorder = recorder;
    this.ended = Promise.all(writes.map((write) => this.#write(write)));
  }

  /** Settles when open requests have a response. */
  async stop(): Promise<void> {
    this.#remaining = 0;
    await this.ended;
  }

  async #write(write: Publish): Promise<void> {
    while (this.#remaining-- > 0) {
      const reply = await this.#recorder.send(write);
      if (reply === undefined) return;
      if (reply.post === undefined) await sleep(20);
    }
  }
}
