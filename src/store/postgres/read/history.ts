import type pg from 'pg';
import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import { isStorableText, toFailure } from '#store/postgres/connection/errors.ts';
import type { LogCursor, LogLine, LogPage } from '#store/port/pages.ts';
import type { RunQuery } from './run-query.ts';

const PAGE_SIZE = 500;

const RECORDS = `select kind, body as record from entry
  where (created_at, id) > ($1, $2) order by created_at, id limit ${PAGE_SIZE}`;

const MODERATION = `json_strip_nulls(json_build_object('action', action, 'id', id, 'at', at,
  'reason', reason, 'mark', mark))`;

const MODERATIONS = `select ${MODERATION} as moderation, arrival from moderation
  where (at, arrival) > ($1, $2::bigint) order by at, arrival limit ${PAGE_SIZE}`;

interface ModerationRow {
  readonly moderation: ModerationEntry;
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
    for (let page = await query<ExportedRecord>(RECORDS, ['', '']); page.length > 0; ) {
      yield* page;
      const last = page.at(-1)?.record;
      page = await query<ExportedRecord>(RECORDS, [last?.createdAt, last?.id]);
    }
    for (let page = await query<ModerationRow>(MODERATIONS, ['', 0]); page.length > 0; ) {
      for (const { moderation } of page) yield moderation;
      const last = page.at(-1);
      page = await query<ModerationRow>(MODERATIONS, [last?.moderation.at, last?.arrival]);
    }
  } finally {
    if (failure === undefined) await query('rollback').catch(() => undefined);
    client.off('error', ignore);
    client.release(failure);
  }
}

// Hiding or erasing a project makes its notes unreachable.
const IS_REACHABLE = `not hidden and (kind <> 'note' or (
    not exists (select from entry as project where project.id = entry.parent_id and project.hidden)
    and not exists (
      select from moderation where moderation.id = entry.parent_id and moderation.action = 'erase')
  ))`;

const RECORD = "json_build_object('kind', kind, 'record', body)";

// One statement, so that the lines and the number of the newest are of one instant.
const LOG = `select arrived::float8 as newest,
    $1::bigint = 0
      or exists (select from entry where id = $2 and arrival = $1 and coalesce($4, created_at) = created_at)
      or exists (select from moderation where id = $2 and arrival = $1 and coalesce($4, at) = at)
      or exists (select from moderation where id = $2 and action = 'erase' and erased_arrival = $1)
      as "isKnown",
    (select coalesce(json_agg(line), '[]') from (
      (select arrival as n, ${RECORD} as added, null::json as moderation
        from entry where arrival > $1 and ${IS_REACHABLE} order by arrival limit $3)
      union all
      (select arrival, case when action = 'unhide' then
          (select ${RECORD} from entry where entry.id = moderation.id and ${IS_REACHABLE}) end,
          ${MODERATION}
        from moderation where arrival > $1 order by arrival limit $3)
      order by n limit $3
    ) as line) as lines
  from clock`;

interface LogRow {
  readonly newest: number;
  readonly isKnown: boolean;
  readonly lines: readonly {
    readonly n: number;
    readonly added: ExportedRecord | null;
    readonly moderation: ModerationEntry | null;
  }[];
}

export async function readLog(
  runQuery: RunQuery,
  after: LogCursor | null,
  limit: number,
): Promise<LogPage | null> {
  const { n, id, at } = after ?? { n: 0, id: '' };
  if (!isStorableText(id)) return null;
  const [row] = await runQuery<LogRow>('log', LOG, [n, id, limit + 1, at ?? null]);
  if (row?.isKnown !== true) return null;
  const lines = row.lines.slice(0, limit).map(
    ({ n: number, added, moderation }): LogLine => ({
      n: number,
      ...(added !== null && { added }),
      ...(moderation !== null && { moderation }),
    }),
  );
  return { lines, more: row.lines.length > limit, newest: row.newest };
}
