import type pg from 'pg';
import type { AnyRecord, Kind, ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import { toFailure } from '#store/postgres/connection/errors.ts';

const PAGE_SIZE = 500;

const RECORDS = `select kind, body as record, created_at, id from entry
  where (created_at, id) > ($1, $2) order by created_at, id limit ${PAGE_SIZE}`;

const MODERATIONS = `select action, id, at, reason, arrival from moderation
  where (at, arrival) > ($1, $2::bigint) order by at, arrival limit ${PAGE_SIZE}`;

interface RecordRow {
  readonly kind: Kind;
  readonly record: AnyRecord;
  readonly created_at: string;
  readonly id: string;
}

interface ModerationRow extends ModerationEntry {
  /** A bigint as text. */
  readonly arrival: string;
}

/** Reads the whole store as of one instant, page by page. Uses a connection until the caller ends. */
export async function* readHistory(pool: pg.Pool): AsyncIterable<ExportedRecord | ModerationEntry> {
  const client = await pool.connect().catch((error: unknown) => {
    throw toFailure(error);
  });
  // The next query fails too; the pool handles this event for idle connections only.
  const ignore = (): void => undefined;
  client.on('error', ignore);
  let failure: Error | undefined;
  const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> => {
    try {
      return (await client.query(text, values)).rows as Row[];
    } catch (error) {
      failure = toFailure(error);
      throw failure;
    }
  };
  try {
    await query('begin isolation level repeatable read, read only');
    // The caller may be slow. No write waits for a transaction that only reads.
    await query('set local idle_in_transaction_session_timeout = 0');
    for (let page = await query<RecordRow>(RECORDS, ['', '']); page.length > 0; ) {
      for (const { kind, record } of page) yield { kind, record };
      const last = page.at(-1);
      page = await query<RecordRow>(RECORDS, [last?.created_at, last?.id]);
    }
    for (let page = await query<ModerationRow>(MODERATIONS, ['', 0]); page.length > 0; ) {
      for (const { action, id, at, reason } of page) yield { action, id, at, reason };
      const last = page.at(-1);
      page = await query<ModerationRow>(MODERATIONS, [last?.at, last?.arrival]);
    }
  } finally {
    if (failure === undefined) await query('rollback').catch(() => undefined);
    client.off('error', ignore);
    client.release(failure);
  }
}
