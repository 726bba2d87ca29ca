import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import type { Post, Timestamp } from '#store/records.ts';
import { wordsColumn } from '#store/postgres/feed-words.ts';

/** How many posts are read for one batch. */
const MAX_ROWS = 200;

/** A batch ends with the post that reaches this number of hashes: a text of 8,000 Han characters has some 16,000. */
const MAX_HASHES = 50_000;

/** Between two batches, so that other work of the database comes first. */
const PAUSE_MS = 20;

/** How long after a pass, or a failure, posts without words are looked for: an older program may write some. */
const IDLE_MS = 60_000;

// No row is locked while words are computed: the body of a post never changes.
const READ = `select body as post, created_at as "createdAt" from entry
  where kind = 'post' and words is null and created_at < coalesce($1, '~') order by created_at desc limit ${MAX_ROWS}`;

// One statement, and so one short transaction. A row that a write has locked is left for the next pass, so there is no
// deadlock with a write; nor is one filled that another instance has filled.
const SET_WORDS = `with free as materialized (
    select id from entry where id = any($2) and words is null for update skip locked
  )
  update entry set words = given.words
  from json_to_recordset($1::json) as given(id text, words bigint[]) join free on free.id = given.id
  where entry.id = given.id`;

interface WordBackfillOptions {
  readonly pool: pg.Pool;
  /** Logs a message for the operator. */
  readonly report: (what: string) => void;
  /** As `IDLE_MS`. */
  readonly idleMs?: number;
}

/**
 * Fills the column `words` of posts from before the migration that added it, newest first. Only this program can: the
 * rules of words are not those of SQL. Instances that fill at the same time compute the same words.
 */
export class WordBackfill {
  readonly #pool: pg.Pool;
  readonly #report: (what: string) => void;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #hasReported = false;
  #maxHashes = MAX_HASHES;
  /** The pass has tried every post from here on. */
  #triedTo: Timestamp | null = null;

  constructor({ pool, report, idleMs = IDLE_MS }: WordBackfillOptions) {
    this.#pool = pool;
    this.#report = report;
    this.#idleMs = idleMs;
  }

  /** Fills in the background from now on. */
  start(): void {
    if (this.#timer === undefined && !this.#stopped) this.#schedule(0);
  }

  /** Resolves after the batch that is running. */
  stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    return this.#running;
  }

  /**
   * Fills the next posts of the pass. After a failure the next batch is half as large, and one post that fails alone is left
   * for the next pass.
   * @returns the number of posts that it tried; after 0 a new pass begins
   * @throws errors of the driver
   */
  async fillBatch(): Promise<number> {
    const found = await this.#pool.query<{ post: Post; createdAt: Timestamp }>(READ, [this.#triedTo]);
    const batch: { id: string; words: number[] }[] = [];
    let triedTo: Timestamp | null = null;
    let hashes = 0;
    for (const { post, createdAt } of found.rows) {
      if (hashes >= this.#maxHashes) break;
      const words = wordsColumn(post);
      batch.push({ id: post.id, words });
      hashes += words.length;
      triedTo = createdAt;
      await nextTurn();
    }
    try {
      if (batch.length > 0)
        await this.#pool.query(SET_WORDS, [JSON.stringify(batch), batch.map(({ id }) => id)]);
    } catch (error) {
      if (batch.length === 1) this.#triedTo = triedTo;
      else this.#maxHashes = hashes / 2;
      throw error;
    }
    this.#triedTo = triedTo;
    this.#maxHashes = Math.min(this.#maxHashes * 2, MAX_HASHES);
    return batch.length;
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.fillBatch()
        .catch((error: unknown) => {
          this.#reportOnce(error);
          return 0;
        })
        .then((tried) => {
          if (!this.#stopped) this.#schedule(tried > 0 ? PAUSE_MS : this.#idleMs);
        });
    }, delay).unref();
  }

  #reportOnce(error: unknown): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    this.#report(`searches stay slow, the words of older posts cannot be filled yet: ${String(error)}`);
  }
}
