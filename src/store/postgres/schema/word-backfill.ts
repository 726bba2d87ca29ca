import type pg from 'pg';
import type { Post } from '#store/records.ts';
import { wordsColumn } from '#store/postgres/feed-words.ts';

const BATCH_SIZE = 200;

/** Between two batches, so that other work of the database comes first. */
const PAUSE_MS = 20;

/** How long after the last batch, or a failure, posts without words are looked for: an older program may write some. */
const IDLE_MS = 60_000;

// A row that a write has locked is left for a later batch, and a batch that has locked its rows waits for nothing: so
// there is no deadlock with a write, and two instances share the work.
const LOCK_BATCH = `select body as post from entry where kind = 'post' and words is null
  order by created_at desc limit ${BATCH_SIZE} for update skip locked`;

const SET_WORDS = `update entry set words = given.words
  from json_to_recordset($1::json) as given(id text, words bigint[]) where entry.id = given.id`;

/**
 * Fills the column `words` of posts from before the migration that added it, newest first. Only this program can: the
 * rules of words are not those of SQL.
 */
export class WordBackfill {
  readonly #pool: pg.Pool;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
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

  /** @returns the number of rows. @throws errors of the driver */
  async fillBatch(): Promise<number> {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<{ post: Post }>(LOCK_BATCH);
      const words = rows.map(({ post }) => ({ id: post.id, words: wordsColumn(post) }));
      if (words.length > 0) await client.query(SET_WORDS, [JSON.stringify(words)]);
      await client.query('commit');
      client.release();
      return words.length;
    } catch (error) {
      // The connection may be in a transaction.
      client.release(true);
      throw error;
    }
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.fillBatch()
        .catch(() => 0)
        .then((filled) => {
          if (!this.#stopped) this.#schedule(filled > 0 ? PAUSE_MS : IDLE_MS);
        });
    }, delay).unref();
  }
}
