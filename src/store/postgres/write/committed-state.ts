import type { CommittedState } from '#store/engine/committed-state.ts';
import { RETENTION_MS, MAX_CLOCK_SKEW_MS } from '#store/engine/write-history.ts';
import type { Kind, Timestamp } from '#store/records.ts';
import type { RecordView } from '#store/store.ts';
import { RECENT, type Questions } from './query-batcher.ts';
import { canBeKept } from './storable-text.ts';
import type { Clock } from '#store/postgres/connection/transaction.ts';

const WINDOW = `select at from visit where visitor = $1 and budget = $2 and at > $3 and at < $4 order by at desc limit $5`;

const TAKEN = 'select from entry where created_at = $1 and kind = $2 limit 1';
const MODERATED = 'select from moderation where at = $1';
const ERASED = "select from moderation where id = $1 and action = 'erase' limit 1";

/**
 * What is durable, asked of the database. While the clock row is held nobody else writes, so an answer holds for as long
 * as the transaction, and the same question is asked once.
 */
export class SqlDurable implements CommittedState {
  readonly lastTimestamp: Timestamp | null;
  readonly frozen: boolean;
  readonly #questions: Questions;

  constructor(questions: Questions, { last, frozen }: Clock) {
    this.#questions = questions;
    this.lastTimestamp = last;
    this.frozen = frozen;
  }

  find(id: string): Promise<(RecordView & { hidden: boolean }) | undefined> {
    return this.#questions.find(id);
  }

  async isErased(id: string): Promise<boolean> {
    return canBeKept(id) && (await this.#questions.first('erased', ERASED, [id])) !== undefined;
  }

  async hasTimestamp(kind: Kind, at: Timestamp): Promise<boolean> {
    return (await this.#questions.first('taken', TAKEN, [at, kind])) !== undefined;
  }

  moderationAt(at: Timestamp): Promise<unknown> {
    return this.#questions.first('moderated', MODERATED, [at]);
  }

  readonly writeHistory: CommittedState['writeHistory'] = {
    recentWrites: async (visitor, budget, now, span, limit) => {
      const recent = await this.#questions.recent(visitor, budget);
      const [since, until] = [now - span, now + MAX_CLOCK_SKEW_MS];
      if (
        recent !== undefined &&
        span <= RETENTION_MS &&
        (limit <= recent.length || recent.length < RECENT)
      ) {
        return recent.filter(({ at }) => at > since && at < until).slice(0, limit);
      }
      return this.#questions.ask<{ at: number }>('window', WINDOW, [visitor, budget, since, until, limit]);
    },
    findByKey: async (scope, key, now, span) =>
      within(await this.#questions.seen('key', scope, key), now, span),
    findByContent: async (scope, content, now, span) =>
      within(await this.#questions.seen('content', scope, content), now, span),
  };
}

function within<T extends { at: number }>(seen: T | undefined, now: number, span: number): T | undefined {
  return seen !== undefined && seen.at > now - span ? seen : undefined;
}
