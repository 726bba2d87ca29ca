import type { Snapshot } from '#store/engine/write-engine.ts';
import { ERASED, type AwaitedRecord } from '#store/engine/operation.ts';
import { MAX_CLOCK_SKEW_MS, SAME } from '#store/engine/write-history.ts';
import type { AnyRecord, Timestamp } from '#store/port/records.ts';
import type {
  EarlierWriteLookup,
  ErasedRecord,
  LaterPost,
  LaterPostsLookup,
  Lookup,
  RecordState,
} from '#store/port/lookups.ts';
import type { Totals } from '#store/port/store.ts';
import type { Transaction } from '#store/postgres/connection/transaction.ts';
import { CLOCK_TOLERANCE_MS, type DatabaseClock } from '#store/postgres/connection/database-clock.ts';
import type { ClientTags, DayTags } from '#store/postgres/schema/client-tags.ts';
import { isStorableText } from '#store/postgres/connection/errors.ts';

export interface ClockRow {
  readonly last: Timestamp | null;
  readonly revision: number;
  readonly arrived: number;
  readonly frozen: boolean;
  readonly totals: Totals;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The id of the transaction, by which the database tells later whether it was committed. */
  readonly transactionId: string;
}

export interface LookupContext {
  readonly transaction: Transaction;
  readonly clock: DatabaseClock;
  readonly tags: ClientTags;
}

interface Row extends ClockRow {
  readonly states: readonly StateRow[];
  readonly awaited: readonly (AwaitedRecord & { readonly id: string })[];
  readonly found: readonly FoundRow[];
}

/** An erased record has only its id and its status. */
interface StateRow extends Omit<RecordState, 'status'> {
  readonly id: string;
  readonly status: RecordState['status'] | 'erased';
}

/** A write that a lookup found, or a row that says that the record or moderation exists. */
interface FoundRow {
  readonly n: number;
  readonly at: number;
  readonly id: string;
  /** The tag of the content, or the timestamp that a lookup asks for. */
  readonly content: string;
  /** The record of an idempotent hit, unless it was erased; a later post. */
  readonly body: AnyRecord | LaterPost | null;
}

/** The posts whose prefixes decide what a WORK takes and what a REVIEW judges. */
const COMPARED_POSTS = `array(
  select json_array_elements_text(case later.prefix when 'WORK' then later.step -> 'takes'
    when 'REVIEW' then later.step -> 'refersTo' end)
  union all select json_array_elements_text(case
    when later.prefix = 'REVIEW' and json_typeof(later.step -> 'checked') = 'array'
    then later.step -> 'checked' end))`;

const BODY_OF_WRITE = '(select body from entry where entry.id = write_history.id) as body';

const writesWhere = (condition: string, body = 'null::json as body'): string =>
  `select at, id, content, ${body} from write_history where ${condition} and at > head.now - asked."windowMs"`;

const writeAges = (condition: string): string => `${writesWhere(condition)}
    and at < head.now + ${MAX_CLOCK_SKEW_MS} order by at desc limit asked."limit"`;

/** By type of an asked row, the statement for it. Each reads an index up to a limit. */
const BRANCHES: Readonly<Partial<Record<AskedRow['type'], string>>> = {
  idempotentHit: `${writesWhere('key = asked.tag', BODY_OF_WRITE)} order by at desc limit 1`,
  recentDuplicate: `${writesWhere('content = asked.tag')} order by at desc limit 1`,
  recentWriteAges: writeAges('client = asked.tag and limit_scope = asked."limitScope"'),
  networkWriteAges: writeAges('network = asked.tag'),
  allWriteAges: writeAges('true'),
  recordTimestamp: `select 0 as at, '' as id, '' as content, null::json as body from entry
    where created_at = asked.at and kind = asked.kind limit 1`,
  moderation: `select 0 as at, '' as id, '' as content, null::json as body from moderation
    where moderation.at = asked.at and moderation.id = asked.id and moderation.action = asked.action limit 1`,
  laterPosts: `select 0 as at, '' as id, '' as content, json_build_object('id', later.id, 'prefix', prefix,
      'parentId', parent_id, 'rootId', root_id, 'createdAt', created_at, 'facts', step,
      'mark', lower(body ->> 'mark'),
      'prefixes', (select coalesce(json_object_agg(named.id, named.prefix), '{}') from entry as named
        where named.id = any(${COMPARED_POSTS}) and not named.hidden and named.prefix is not null)) as body
    from entry as later where kind = 'post' and not hidden and created_at > asked.at
    order by created_at desc limit asked."limit"`,
};

const statusIf = (isHidden: string): string =>
  `case when ${isHidden} then 'hidden' else 'visible' end as status`;

// Leaves out existing and erased records.
const AWAITED = `(select coalesce(json_agg(row), '[]') from (
      select id, deciding.at as "moderatedAt", ${statusIf("deciding.action = 'hide'")}, (select count(*) from entry
        where parent_id = asked.id and parent_id is not null and not hidden) as children
      from asked left join lateral (select at, action from moderation
        where moderation.id = asked.id and action <> 'erase'
        order by at desc, arrival desc limit 1) as deciding on true
      where type = 'record' and not exists (select from entry where entry.id = asked.id)
    ) as row where children > 0 or "moderatedAt" is not null) as awaited`;

/**
 * Runs all lookups of a batch, since a second statement would double the time of a write.
 * @param types those of the asked rows; without the branches of other types the statement is faster
 */
function lookUpStatement(types: ReadonlySet<string>): string {
  const branches = Object.entries(BRANCHES).filter(([type]) => types.has(type));
  const found = branches.map(
    ([type, select]) =>
      `select asked.n, row.* from head, asked, lateral (${select}) as row where asked.type = '${type}'`,
  );
  return `with head as materialized (
      select last, revision::float8, arrived::float8, frozen, totals,
        pg_current_xact_id()::text as "transactionId",
        coalesce($1::float8, extract(epoch from clock_timestamp())::float8 * 1000) as now from clock
    ), asked as materialized (
      select * from json_to_recordset($2::json) as asked(n integer, type text, id text, tag text,
        "limitScope" text, kind text, "windowMs" float8, "limit" integer, at text, action text)
    ), found as materialized (
      ${found.join(' union all ') || `select 0 as n, '' as id, null::json as body where false`}
    ), wanted as (
      select id from asked where type = 'record' union all select id from found
      union all select body ->> 'projectId' from found where body is not null
    )
    select head.*, (select coalesce(json_agg(found), '[]') from found) as found,
      (select coalesce(json_agg(state), '[]') from wanted, lateral (
        (select id, kind, parent_id as "parentId", body ->> 'rootId' as "rootId", prefix, children,
          ${statusIf('hidden')}, lower(body ->> 'mark') as mark,
          (select parent_id from entry as parent where parent.id = entry.parent_id) as "grandparentId",
          (select max(at) from moderation
            where moderation.id = entry.id and action <> 'erase') as "moderatedAt",
          (select coalesce(json_agg(target), '[]') from mention where mention.id = entry.id) as named
          from entry where id = wanted.id limit 1)
        union all
        (select id, null, null, null, null, null, 'erased', null, null, null, null from moderation
          where id = wanted.id and action = 'erase' limit 1)
      ) as state) as states, ${AWAITED}
    from head`;
}

/**
 * Runs the lookups of a batch with one statement, under the lock of the clock row. It repeats the statement
 * if the tags were those of other days.
 * @throws errors of the driver
 */
export async function readSnapshot(
  context: LookupContext,
  lookups: readonly Lookup[],
): Promise<{ head: ClockRow; snapshot: Snapshot }> {
  const { transaction, clock, tags } = context;
  const now = clock.now();
  await tags.load(now);
  // One asked row for all lookups of later posts, so that each post is sent only once.
  const later = lookups.filter((lookup): lookup is LaterPostsLookup => lookup.type === 'laterPosts');
  const allLater: LaterPostsLookup = {
    type: 'laterPosts',
    after: later.map(({ after }) => after).sort()[0] ?? '',
    limit: Math.max(0, ...later.map(({ limit }) => limit)),
  };
  const asked = lookups.flatMap((lookup, n) => {
    const isLater = lookup.type === 'laterPosts';
    if (isLater && lookup !== later[0]) return [];
    return toAskedRows(isLater ? allLater : lookup, n, (windowMs) => tags.ofWindow(now, windowMs));
  });
  const types = new Set<string>(asked.map(({ type }) => type));
  // Short, since PostgreSQL compares only 63 characters of the name of a prepared statement.
  const name = `look-up ${Object.keys(BRANCHES)
    .map((type) => (types.has(type) ? 1 : 0))
    .join('')}`;
  const [head] = await transaction.query<Row>(
    lookUpStatement(types),
    [clock.override() ?? null, JSON.stringify(asked)],
    name,
  );
  if (head === undefined) throw new Error('the clock is missing');
  clock.set(head.now);
  if (Math.abs(head.now - now) > CLOCK_TOLERANCE_MS) return readSnapshot(context, lookups);
  const records = new Map(head.states.map((row) => [row.id, toState(row)]));
  const awaited = new Map(head.awaited.map(({ id, ...record }) => [id, record]));
  // Two writes may pass the same lookup object, whose two positions have equal results.
  const positions = new Map(lookups.map((lookup, n) => [lookup, n]));
  const found = lookups.map((): FoundRow[] => []);
  for (const row of head.found.toSorted((a, b) => b.at - a.at)) found[row.n]?.push(row);
  const rowsOf = (lookup: Lookup): readonly FoundRow[] => found[positions.get(lookup) ?? -1] ?? [];
  const laterPosts =
    later[0] === undefined ? [] : rowsOf(later[0]).flatMap(({ body }) => (body as LaterPost | null) ?? []);
  const snapshot: Snapshot = {
    now: head.now,
    lastTimestamp: head.last,
    frozen: head.frozen,
    record: (id) => records.get(id),
    awaited: (id) => awaited.get(id),
    recentWriteTimes: (lookup) => rowsOf(lookup).map(({ at }) => at),
    earlierWrite: (lookup) => {
      const [row] = rowsOf(lookup);
      const record = (row?.body as AnyRecord | null | undefined) ?? undefined;
      return row && { id: row.id, atMs: row.at, content: contentOf(row, lookup, tags), record };
    },
    exists: (lookup) => rowsOf(lookup).length > 0,
    laterPosts: ({ after, limit }) => laterPosts.filter(({ createdAt }) => createdAt > after).slice(0, limit),
  };
  return { head, snapshot };
}

function toState({ id: _, status, ...state }: StateRow): RecordState | ErasedRecord {
  return status === 'erased' ? ERASED : { ...state, status };
}

interface AskedRow {
  readonly n: number;
  readonly type: Lookup['type'] | 'allWriteAges' | 'networkWriteAges';
  readonly [column: string]: unknown;
}

/** @returns the rows of `asked`: one for each tag that may match; none for an id that no record can have */
function toAskedRows(lookup: Lookup, n: number, tagsOf: (windowMs: number) => DayTags[]): AskedRow[] {
  switch (lookup.type) {
    case 'record':
    case 'moderation':
      return isStorableText(lookup.id) ? [{ n, ...lookup }] : [];
    case 'records':
      return lookup.ids.filter(isStorableText).map((id) => ({ n, type: 'record', id }));
    case 'idempotentHit':
    case 'recentDuplicate': {
      const { type, kind, windowMs, origin } = lookup;
      const of = SAME[type];
      const value = origin[of];
      if (value === null) return [];
      const tag = (day: DayTags): string => day.tag(of, kind, origin.clientKey, value);
      return tagsOf(windowMs).map((day) => ({ n, type, windowMs, tag: tag(day) }));
    }
    case 'recentWriteAges': {
      const { by, ...asked } = lookup;
      if (by === null) return [{ n, ...asked, type: 'allWriteAges' }];
      const rowOf = (day: DayTags) =>
        'widened' in by
          ? { type: 'networkWriteAges' as const, tag: day.tag('network', by.widened) }
          : { limitScope: by.limitScope, tag: day.tag('client', by.clientKey) };
      return tagsOf(lookup.windowMs).map((day) => ({ n, ...asked, ...rowOf(day) }));
    }
    case 'laterPosts':
      return [{ n, type: lookup.type, at: lookup.after, limit: lookup.limit }];
    case 'recordTimestamp':
      return [{ n, ...lookup }];
  }
}

/** @returns the content hash of the lookup if the earlier write has the same content, else the tag */
function contentOf(
  { at, content }: { readonly at: number; readonly content: string },
  lookup: EarlierWriteLookup,
  tags: ClientTags,
): string {
  const { content: hash, clientKey } = lookup.origin;
  const isSame = (day: DayTags): boolean => day.tag('content', lookup.kind, clientKey, hash) === content;
  return tags.ofWindow(at, 0).some(isSame) ? hash : content;
}
