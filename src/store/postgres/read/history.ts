import type pg from 'pg';
import type { AnyRecord, Kind } from '#store/records.ts';
import type { ExportedRecord, ModerationEntry } from '#store/store.ts';
import { toFailure } from '#store/postgres/connection/errors.ts';

/** So many rows are in memory at once. */
const PAGE = 500;

const RECORDS = `select kind, body as record, created_at, id from entry
  where (created_at, id) > ($1, $2) order by created_at, id limit ${PAGE}`;

const MODERATIONS = `select action, id, at, reason from moderation where at > $1 order by at limit ${PAGE}`;

interface Row {
  readonly kind: Kind;
  readonly record: AnyRecord;
  readonly created_at: string;
  readonly id: string;
}

/** Everything that is kept, as of one instant, page after page; the connection is held until the reader is done. */
export async function* historyOf(pool: pg.Pool): AsyncIterable<ExportedRecord | ModerationEntry> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toFailure(error);
  });
  // Told by the next question; the pool listens to those only that nobody uses.
  const heard = (): void => undefined;
  client.on('error', heard);
  let failure: Error | undefined;
  const ask = async <R>(text: string, values: unknown[] = []): Promise<R[]> => {
    try {
      return (await client.query(text, values)).rows as R[];
    } catch (error) {
      failure = toFailure(error);
      throw failure;
    }
  };
  try {
    await ask('begin isolation level repeatable read, read only');
    // Who reads may be slow, and nobody waits for a reader.
    await ask('set local idle_in_transaction_session_timeout = 0');
    for (let last: Row | undefined, more = true; more; ) {
      const page: Row[] = await ask<Row>(RECORDS, [last?.created_at ?? '', last?.id ?? '']);
      for (const { kind, record } of page) yield { kind, record };
      last = page.at(-1);
      more = last !== undefined;
    }
    for (let last: ModerationEntry | undefined, more = true; more; ) {
      const page: ModerationEntry[] = await ask<ModerationEntry>(MODERATIONS, [last?.at ?? '']);
      yield* page;
      last = page.at(-1);
      more = last !== undefined;
    }
  } finally {
    if (failure === undefined) await ask('rollback').catch(() => undefined);
    client.off('error', heard);
    client.release(failure);
  }
}
