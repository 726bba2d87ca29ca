import type { ExportedRecord, ModerationEntry } from '#store/port/records.ts';
import type { LogCursor, LogLine, LogPage } from '#store/port/pages.ts';
import { isStorableText } from '#store/postgres/connection/errors.ts';
import type { RunQuery } from './run-query.ts';

// Hiding or erasing a project makes its notes unreachable.
const IS_REACHABLE = `not hidden and (kind <> 'note' or (
    not exists (select from entry as project where project.id = entry.parent_id and project.hidden)
    and not exists (
      select from moderation where moderation.id = entry.parent_id and moderation.action = 'erase')
  ))`;

const RECORD = "json_build_object('kind', kind, 'record', body)";

// One statement, so that the lines and the number of the newest are of one instant.
const LOG = `select arrived::float8 as newest,
    $1::bigint = 0 or exists (select from entry where id = $2 and arrival = $1)
      or exists (select from moderation where id = $2 and arrival = $1)
      or exists (select from moderation where id = $2 and action = 'erase' and erased_arrival = $1)
      as "isKnown",
    (select coalesce(json_agg(line), '[]') from (
      (select arrival as n, ${RECORD} as added, null::json as moderation
        from entry where arrival > $1 and ${IS_REACHABLE} order by arrival limit $3)
      union all
      (select arrival, case when action = 'unhide' then
          (select ${RECORD} from entry where entry.id = moderation.id and ${IS_REACHABLE}) end,
          json_build_object('action', action, 'id', id, 'at', at, 'reason', reason)
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

/** @throws StoreFailure */
export async function readLog(
  runQuery: RunQuery,
  after: LogCursor | null,
  limit: number,
): Promise<LogPage | null> {
  const { n, id } = after ?? { n: 0, id: '' };
  if (!isStorableText(id)) return null;
  const [row] = await runQuery<LogRow & Record<string, unknown>>('log', LOG, [n, id, limit + 1]);
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
