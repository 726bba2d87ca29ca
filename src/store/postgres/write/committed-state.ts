import type { CommittedState } from '#store/engine/committed-state.ts';
import { ancestorsOf, ERASED } from '#store/engine/record-state.ts';
import { hashContent, MAX_CLOCK_SKEW_MS } from '#store/engine/write-history.ts';
import { kindOf, type AnyRecord, type Timestamp } from '#store/records.ts';
import type { ErasedRecord, Lookup, RecordState, Totals } from '#store/store.ts';
import type { Transaction } from '#store/postgres/connection/transaction.ts';
import { isStorableText } from './storable-text.ts';

/** The row that a writing transaction locks, and the wall-clock time. */
export interface FeedHead {
  readonly last: Timestamp | null;
  readonly revision: number;
  readonly frozen: boolean;
  readonly totals: Totals;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Row extends FeedHead {
  readonly states: readonly StateRow[];
  readonly found: readonly FoundRow[];
}

/** An erased record has its id only. */
interface StateRow extends Omit<RecordState, 'status' | 'kind' | 'answers' | 'ancestors'> {
  readonly id: string;
  readonly hidden: boolean | null;
  readonly grandparentId: string | null;
  readonly answers: readonly string[] | null;
}

/** A write that a lookup found, or a record or moderation that has its timestamp. */
interface FoundRow {
  /** The position of the lookup in the batch. */
  readonly n: number;
  readonly at: number;
  readonly id: string;
  readonly content: string;
  /** The record of an idempotent hit, unless it was erased. */
  readonly body: AnyRecord | null;
}

const byClient = (body: string): string =>
  `select at, id, content, ${body} from visit where visitor = asked."clientKey" and at > head.now - asked."windowMs"`;

/** By type of lookup, the statement that finds its rows. Each reads an index, and ends at a limit. */
const BRANCHES: Readonly<Partial<Record<Lookup['type'], string>>> = {
  idempotentHit: `${byClient('(select body from entry where entry.id = visit.id) as body')}
    and kind = asked.kind and key = asked.key order by at desc limit 1`,
  recentDuplicate: `${byClient('null::json as body')}
    and kind = asked.kind and content = asked.content order by at desc limit 1`,
  recentWriteAges: `${byClient('null::json as body')}
    and budget = asked."limitScope" and at < head.now + ${MAX_CLOCK_SKEW_MS} order by at desc limit asked."limit"`,
  recordTimestamp: `select 0 as at, '' as id, '' as content, null::json as body from entry
    where created_at = asked.at and kind = asked.kind limit 1`,
  moderationTimestamp: `select 0 as at, '' as id, '' as content, null::json as body from moderation
    where moderation.at = asked.at limit 1`,
};

/**
 * All lookups of a batch in one statement, since each further one costs a write as much as all the rest of it.
 * @param types of the lookups; the statement of a batch without the others is faster
 */
function lookUpStatement(types: ReadonlySet<string>): string {
  const branches = Object.entries(BRANCHES).filter(([type]) => types.has(type));
  const found = branches.map(
    ([type, select]) =>
      `select asked.n, row.* from head, asked, lateral (${select}) as row where asked.type = '${type}'`,
  );
  return `with head as materialized (
      select last, revision::float8, frozen, totals,
        coalesce($1::float8, extract(epoch from clock_timestamp())::float8 * 1000) as now from clock
    ), asked as materialized (
      select * from json_to_recordset($2::json) as asked(n integer, type text, id text, "clientKey" text, "limitScope" text,
        kind text, key text, content text, "windowMs" float8, "limit" integer, at text)
    ), found as materialized (
      ${found.join(' union all ') || `select 0 as n, '' as id, null::json as body where false`}
    ), wanted as (
      select id from asked where type = 'record' union all select id from found
      union all select body ->> 'projectId' from found where body is not null
    )
    select head.*, (select coalesce(json_agg(found), '[]') from found) as found, (select coalesce(json_agg(state), '[]')
      from wanted, lateral (
        (select id, parent_id as "parentId", body ->> 'rootId' as "rootId", prefix, body -> 'answers' as answers, children,
          hidden, (select parent_id from entry as parent where parent.id = entry.parent_id) as "grandparentId"
          from entry where id = wanted.id limit 1)
        union all
        (select id, null, null, null, null, null, null, null from moderation
          where id = wanted.id and action = 'erase' limit 1)
      ) as state) as states
    from head`;
}

/**
 * Looks up under the lock of the clock row what the writes of a batch are decided on.
 * @param now wall-clock time in milliseconds since 1970; undefined for that of the database
 * @throws errors of the driver
 */
export async function readCommittedState(
  transaction: Transaction,
  lookups: readonly Lookup[],
  now: number | undefined,
): Promise<{ head: FeedHead; committed: CommittedState }> {
  const asked = JSON.stringify(lookups.flatMap(toAsked));
  const types = new Set(lookups.map(({ type }) => type));
  // PostgreSQL compares the first 63 characters of the name of a prepared statement.
  const name = `look-up ${Object.keys(BRANCHES)
    .map((type) => (types.has(type as Lookup['type']) ? 1 : 0))
    .join('')}`;
  const [head] = await transaction.query<Row>(lookUpStatement(types), [now ?? null, asked], name);
  if (head === undefined) throw new Error('the clock is missing');
  const records = new Map(head.states.map((row) => [row.id, toState(row)]));
  // Two writes may pass the same lookup object; both positions have the same answer.
  const positions = new Map(lookups.map((lookup, n) => [lookup, n]));
  const found = lookups.map((): FoundRow[] => []);
  for (const row of head.found) found[row.n]?.push(row);
  const rowsOf = (lookup: Lookup): readonly FoundRow[] => found[positions.get(lookup) ?? -1] ?? [];
  const committed: CommittedState = {
    now: head.now,
    lastTimestamp: head.last,
    frozen: head.frozen,
    record: (id) => records.get(id),
    recentWriteTimes: (lookup) => rowsOf(lookup).map(({ at }) => at),
    findByKey: (lookup) => {
      const [row] = rowsOf(lookup);
      return row && { ...row, record: row.body ?? undefined };
    },
    findByContent: (lookup) => rowsOf(lookup)[0],
    hasTimestamp: (lookup) => rowsOf(lookup).length > 0,
  };
  return { head, committed };
}

/** @returns the lookup as a row of `asked`; none for an id that no record can have */
function toAsked(lookup: Lookup, n: number): object[] {
  if ('origin' in lookup) {
    const { origin, ...asked } = lookup;
    return [{ ...asked, n, ...origin, content: hashContent(origin.content) }];
  }
  return lookup.type === 'record' && !isStorableText(lookup.id) ? [] : [{ ...lookup, n }];
}

function toState({ id, hidden, grandparentId, answers, ...state }: StateRow): RecordState | ErasedRecord {
  if (hidden === null) return ERASED;
  return {
    ...state,
    status: hidden ? 'hidden' : 'visible',
    kind: kindOf(id),
    answers: answers ?? [],
    ancestors: ancestorsOf(state.parentId, grandparentId, state.rootId),
  };
}
