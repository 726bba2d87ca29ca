import { MAX_COMPARED, TextBudget } from '#message/words.ts';
import type { Timestamp, CountedRecord } from '#store/port/records.ts';
import type { FeedFilter, FeedRange, FeedResult } from '#store/port/pages.ts';
import { CROWDED, filterHashes } from '#store/postgres/schema/words-column.ts';
import { compareTexts, endOf } from './text-comparison.ts';
import { COUNTED_COLUMNS, type RunQuery } from './run-query.ts';

/** The newest posts, examined before the index is used. A frequent word occurs in them. */
const RECENT_CANDIDATES = 2000;

/** Comparing the words of a text costs as much as examining so many candidates. */
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

interface Candidates {
  readonly items: CountedRecord<'post'>[];
  readonly examinedTo: Timestamp | null;
}

interface Search {
  readonly filter: FeedFilter;
  readonly hashes: readonly number[];
  readonly maxCandidates: number;
  /** On the scale of `performance.now()`. */
  readonly start: number;
}

interface CandidateRange {
  readonly before: Timestamp | undefined;
  readonly rows: number;
}

/**
 * A frequent word is found in the newest posts, read in the order of time; a rare one by the GIN index, which
 * has no order. For any other word posts are read in the order of time, and the page ends early.
 */
export class FeedReader {
  readonly #runQuery: RunQuery;
  readonly #now: () => number;

  constructor(runQuery: RunQuery, now: () => number) {
    this.#runQuery = runQuery;
    this.#now = now;
  }

  async read(filter: FeedFilter, { before, limit, maxCandidates }: FeedRange): Promise<FeedResult> {
    const search = { filter, hashes: filterHashes(filter), maxCandidates, start: this.#now() };
    const budget = new TextBudget(MAX_COMPARED);
    const items: CountedRecord<'post'>[] = [];
    let texts = 0;
    let rows = limit;
    for (let from = before; ; rows = Math.min(rows * 2, Math.max(limit, MAX_ROWS))) {
      const found = await this.#candidates(search, { before: from, rows });
      const left = limit - items.length;
      const { matching, compared } = await compareTexts(found.items, left, budget, filter.words ?? []);
      items.push(...matching);
      texts += compared;
      const isWhole = compared === found.items.length;
      const examinedTo = isWhole ? found.examinedTo : endOf(found.items.slice(0, compared));
      const isOver =
        items.length === limit ||
        budget.isSpent ||
        texts * TEXT_COST >= maxCandidates ||
        matching.length === compared ||
        this.#isLate(search);
      if (examinedTo === null || isOver) return { items, examinedTo };
      from = examinedTo;
    }
  }

  async #candidates(search: Search, range: CandidateRange): Promise<Candidates> {
    const { maxCandidates } = search;
    const recent = await this.#recent(search, range, Math.min(RECENT_CANDIDATES, maxCandidates));
    if (recent.examinedTo === null || recent.items.length === range.rows || this.#isLate(search))
      return recent;
    const indexed = await this.#query<{ matching: number }>(
      'feed indexed',
      INDEXED,
      search,
      range,
      maxCandidates,
    );
    if (indexed !== undefined && indexed.matching <= maxCandidates) {
      const { items, matching } = indexed;
      return { items, examinedTo: matching > range.rows ? endOf(items) : null };
    }
    return this.#isLate(search) ? recent : this.#recent(search, range, maxCandidates);
  }

  async #recent(search: Search, range: CandidateRange, count: number): Promise<Candidates> {
    const found = await this.#query<Pick<Candidates, 'examinedTo'>>(
      'feed recent',
      RECENT,
      search,
      range,
      count,
    );
    const { items = [], examinedTo = null } = found ?? {};
    // A full page ends with its last post.
    return { items, examinedTo: items.length === range.rows ? endOf(items) : examinedTo };
  }

  async #query<Row extends object>(
    statement: string,
    text: string,
    { filter: { prefix, threads = false, name }, hashes, start }: Search,
    { before, rows }: CandidateRange,
    count: number,
  ): Promise<(Row & Pick<Candidates, 'items'>) | undefined> {
    const prefixName = prefix === undefined ? null : (prefix ?? 'none');
    const values = [before ?? null, count, hashes, prefixName, threads, rows, name ?? null];
    return (await this.#runQuery<Row & Pick<Candidates, 'items'>>(statement, text, values, start))[0];
  }

  #isLate({ start }: Search): boolean {
    return this.#now() - start >= SEARCH_TIME_MS;
  }
}
