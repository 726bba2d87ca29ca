import { MAX_COMPARED, TextBudget, type Alternatives } from '#message/words.ts';
import type { Timestamp, CountedRecord } from '#store/port/records.ts';
import type { FeedFilter, FeedRange, FeedResult } from '#store/port/pages.ts';
import { CROWDED, filterHashes } from '#store/postgres/schema/words-column.ts';
import { readRow, COUNTED_COLUMNS, type RunQuery } from './run-query.ts';

/** The newest posts, examined before the index is used. A frequent word occurs in them. */
const RECENT_CANDIDATES = 2000;

/** Comparing the words of a text costs as much as examining this many candidates. */
const TEXT_COST = 20;
/** Candidates that one statement returns if earlier ones did not match; more if the page is larger. */
const MAX_ROWS = 250;
/** After this time a search sends no further statement, and its page ends early. */
const SEARCH_TIME_MS = 1000;

const VISIBLE = `kind = 'post' and not hidden and created_at < coalesce($1, '~')`;
const HAS_ENTRIES = `(words @> $3::bigint[] or words @> '{${CROWDED}}')`;
const FILTER = `($4::text is null or coalesce(prefix, 'none') = $4) and (not $5 or parent_id is null)
  and ($7::text is null or body ->> 'name' = $7)`;

const toItems = (rows: string): string => `(select coalesce(json_agg(json_build_object(
  'record', record, 'children', children) order by created_at desc), '[]') from ${rows}) as items`;

// Reads in the order of time, and so no more rows than it examines.
const RECENT = `with found as materialized (
    select ${COUNTED_COLUMNS}, created_at from (
      select * from entry where ${VISIBLE} order by created_at desc limit $2) as entry
    where ${HAS_ENTRIES} and ${FILTER} order by created_at desc limit $6
  )
  select ${toItems('found')}, case when (select count(*) from found) < $6 then
    (select created_at from entry where ${VISIBLE} order by created_at desc offset $2 - 1 limit 1)
  end as "examinedTo"`;

// Has no order, so that it ends as soon as there is one row too many.
const INDEXED = `with matching as materialized (
    select id, created_at from entry where ${VISIBLE} and ${HAS_ENTRIES} and ${FILTER} limit $2 + 1
  ), found as materialized (
    select ${COUNTED_COLUMNS}, created_at from entry
    where id in (select id from matching order by created_at desc limit $6)
  )
  select ${toItems('found')}, (select count(*)::integer from matching) as matching`;

/**
 * A frequent word is found in the newest posts, read in the order of time; a rare one by the GIN index, which
 * has no order. For any other word posts are read in the order of time, and the page ends early.
 */
export async function findPosts(
  runQuery: RunQuery,
  filter: FeedFilter,
  { before, limit, maxCandidates }: FeedRange,
  now = (): number => performance.now(),
): Promise<FeedResult> {
  const { words = [], prefix, threads = false, name } = filter;
  const start = now();
  const isLate = (): boolean => now() - start >= SEARCH_TIME_MS;
  const hashes = filterHashes(filter);
  const prefixName = prefix === undefined ? null : (prefix ?? 'none');
  type From = Timestamp | undefined;
  const query = <Row>(statement: string, text: string, from: From, rows: number, count: number) => {
    const values = [from ?? null, count, hashes, prefixName, threads, rows, name ?? null];
    return readRow<Row & Pick<FeedResult, 'items'>>(runQuery, statement, text, values, start);
  };
  const readRecent = async (from: From, rows: number, count: number): Promise<FeedResult> => {
    const { items, examinedTo } = await query<FeedResult>('feed recent', RECENT, from, rows, count);
    // A full page ends with its last post.
    return { items, examinedTo: items.length === rows ? endOf(items) : examinedTo };
  };
  const readCandidates = async (from: From, rows: number): Promise<FeedResult> => {
    const recent = await readRecent(from, rows, Math.min(RECENT_CANDIDATES, maxCandidates));
    if (recent.examinedTo === null || recent.items.length === rows || isLate()) return recent;
    const indexed = await query<{ matching: number }>('feed indexed', INDEXED, from, rows, maxCandidates);
    const { items, matching } = indexed;
    if (matching <= maxCandidates) return { items, examinedTo: matching > rows ? endOf(items) : null };
    return isLate() ? recent : readRecent(from, rows, maxCandidates);
  };

  const budget = new TextBudget(MAX_COMPARED);
  const items: CountedRecord<'post'>[] = [];
  let texts = 0;
  let rows = limit;
  for (let from = before; ; rows = Math.min(rows * 2, Math.max(limit, MAX_ROWS))) {
    const found = await readCandidates(from, rows);
    const { matching, compared } = await compareTexts(found.items, limit - items.length, budget, words);
    items.push(...matching);
    texts += compared;
    const isWhole = compared === found.items.length;
    const examinedTo = isWhole ? found.examinedTo : endOf(found.items.slice(0, compared));
    const isOver =
      items.length === limit ||
      budget.isSpent ||
      texts * TEXT_COST >= maxCandidates ||
      matching.length === compared ||
      isLate();
    if (examinedTo === null || isOver) return { items, examinedTo };
    from = examinedTo;
  }
}

/**
 * Compares candidates in order, until `limit` of them match or the budget is spent.
 * @returns the matching posts, and the number of compared candidates
 */
export async function compareTexts(
  candidates: readonly CountedRecord<'post'>[],
  limit: number,
  budget: TextBudget,
  words: readonly string[],
  any: Alternatives = [],
): Promise<{ matching: CountedRecord<'post'>[]; compared: number }> {
  const matching: CountedRecord<'post'>[] = [];
  let compared = 0;
  for (const candidate of candidates) {
    if (matching.length === limit || budget.isSpent) break;
    if (budget.isSliceOver) await budget.nextSlice();
    if (budget.holdsWords(candidate.record, words, any)) matching.push(candidate);
    compared += 1;
  }
  return { matching, compared };
}

/** @returns the time of the last item; null if there are none */
export function endOf(items: readonly CountedRecord<'post'>[]): Timestamp | null {
  return items.at(-1)?.record.createdAt ?? null;
}
