import type { ClientBase } from 'pg';
import { kindOf, type Timestamp } from '#store/records.ts';
import type { Change } from '#store/store.ts';
import type { Notice } from './payload.ts';

/** How far somebody has heard. */
export interface Point {
  readonly last: Timestamp | null;
  readonly revision: number;
}

interface Row {
  readonly action: Change['action'];
  readonly id: string;
  readonly at: Timestamp;
  readonly parent: string | null;
  readonly above: string | null;
  readonly root: string | null;
}

const PAGE = 500;

// One statement, so that it sees one instant.
const MISSED = `select revision::float8, (select coalesce(json_agg(missed), '[]') from (
    select change.action, change.id, change.at, entry.parent_id as parent, parent.parent_id as above, entry.body ->> 'rootId' as root
    from (
      (select 'add' as action, id, created_at as at from entry where created_at > $1 order by created_at limit ${PAGE})
      union all
      (select action, id, at from moderation where at > $1 order by at limit ${PAGE})
      order by at limit ${PAGE}
    ) as change
    left join entry on entry.id = change.id left join entry as parent on parent.id = entry.parent_id
    order by change.at
  ) as missed) as rows from clock`;

/** @returns how far somebody has heard who begins to listen now. */
export async function pointNow(client: Pick<ClientBase, 'query'>): Promise<Point> {
  const {
    rows: [point],
  } = await client.query<Point>('select last, revision::float8 from clock');
  return point ?? { last: null, revision: 0 };
}

/**
 * @returns what was added or moderated after a stamp, and the revision up to which that is. Records that were restored
 * with stamps of an earlier time are not among it.
 */
export async function missedSince(
  client: ClientBase,
  last: Timestamp | null,
): Promise<{ revision: number; notices: Notice[] }> {
  const notices: Notice[] = [];
  for (let since = last ?? ''; ; ) {
    const {
      rows: [found],
    } = await client.query<{ revision: number; rows: Row[] }>(MISSED, [since]);
    if (found === undefined) throw new Error('the clock is missing');
    const { revision, rows } = found;
    notices.push(...rows.map((row) => ({ revision, at: row.at, change: changeOf(row) })));
    since = rows.at(-1)?.at ?? since;
    if (rows.length < PAGE) return { revision, notices };
  }
}

function changeOf({ action, id, parent, above, root }: Row): Change {
  const known = parent === null ? [] : [parent, above, root].filter((one) => one !== null);
  return { action, kind: kindOf(id), id, ancestors: [...new Set(known)] };
}
