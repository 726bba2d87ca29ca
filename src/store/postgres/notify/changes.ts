import { parseJson } from '#runtime/json.ts';
import { kindOf, type Timestamp } from '#store/port/records.ts';
import type { Change } from '#store/port/store.ts';
import type { ClientBase, QueryResult } from 'pg';
import { ancestorsOf, type Lineage } from '#store/engine/operation.ts';

/** The payload of `NOTIFY`, as JSON, which is far shorter than the 8,000 bytes that PostgreSQL accepts. */
export interface ChangeNotification {
  readonly revision: number;
  readonly at: Timestamp;
  readonly change: Change;
}

export function encodeNotification({ revision, at, change }: ChangeNotification): string {
  const { action, id, ancestors } = change;
  return JSON.stringify([revision, at, action, id, ...ancestors]);
}

const ACTIONS: readonly unknown[] = ['add', 'hide', 'unhide', 'erase'] satisfies Change['action'][];

/** @returns undefined for any other payload, since every user of the database can notify on the channel */
export function decodeNotification(payload: string): ChangeNotification | undefined {
  const fields = parseJson(payload);
  if (!Array.isArray(fields)) return undefined;
  const [revision, at, action, ...ids] = fields as unknown[];
  if (!Number.isSafeInteger(revision) || !ACTIONS.includes(action) || ids.length === 0) return undefined;
  if (![at, ...ids].every((field) => typeof field === 'string')) return undefined;
  const [id, ...ancestors] = ids as [string, ...string[]];
  return {
    revision: revision as number,
    at: at as Timestamp,
    change: { action: action as Change['action'], kind: kindOf(id), id, ancestors },
  };
}

export interface ListenPosition {
  readonly last: Timestamp | null;
  readonly revision: number;
}

interface ChangeRow extends Lineage {
  readonly action: Change['action'];
  readonly id: string;
  readonly at: Timestamp;
  /** Null for an added record. */
  readonly arrival: number | null;
}

const PAGE_SIZE = 500;

// One statement, so that the revision and the rows are of the same instant. Imported changes may share a
// timestamp, so a page begins after the last record and the last moderation of the previous page.
const CHANGES = `select revision::float8, (select coalesce(json_agg(missed), '[]') from (
    select change.*, entry.parent_id as "parentId", parent.parent_id as "grandparentId",
      entry.root_id as "rootId",
      (select coalesce(json_agg(target), '[]') from mention where mention.id = entry.id) as named
    from (
      (select 'add' as action, id, created_at as at, null::bigint as arrival from entry
        where created_at > $1 and (created_at, id) > ($2, $3) order by created_at, id limit ${PAGE_SIZE})
      union all
      (select action, id, at, arrival from moderation
        where at > $1 and (at, arrival) > ($4, $5::bigint) order by at, arrival limit ${PAGE_SIZE})
      order by at, arrival nulls first, id limit ${PAGE_SIZE}
    ) as change
    left join entry on entry.id = change.id left join entry as parent on parent.id = entry.parent_id
    order by change.at, change.arrival nulls first, change.id
  ) as missed) as rows from clock`;

/** @returns the changes after a timestamp, except of imported records with earlier times, and the revision */
export async function changesSince(
  client: ClientBase,
  last: Timestamp | null,
): Promise<{ revision: number; notifications: ChangeNotification[] }> {
  const notifications: ChangeNotification[] = [];
  let record: ChangeRow | undefined;
  let moderation: ChangeRow | undefined;
  for (;;) {
    const values = [
      last ?? '',
      record?.at ?? '',
      record?.id ?? '',
      moderation?.at ?? '',
      moderation?.arrival ?? 0,
    ];
    const result: QueryResult<{ revision: number; rows: ChangeRow[] }> = await client.query(CHANGES, values);
    const [found] = result.rows;
    if (found === undefined) throw new Error('the clock is missing');
    const { revision, rows } = found;
    notifications.push(...rows.map((row) => ({ revision, at: row.at, change: toChange(row) })));
    record = rows.findLast(({ action }) => action === 'add') ?? record;
    moderation = rows.findLast(({ action }) => action !== 'add') ?? moderation;
    if (rows.length < PAGE_SIZE) return { revision, notifications };
  }
}

const toChange = ({ action, id, ...lineage }: ChangeRow): Change => ({
  action,
  kind: kindOf(id),
  id,
  ancestors: ancestorsOf(lineage),
});
