import type { Timestamp } from '#store/records.ts';
import type { FeedFilter, FeedRange, FeedResult, RecordView } from '#store/store.ts';
import { holdsWords } from '#store/words.ts';
import { filterHashes } from '#store/postgres/feed-words.ts';
import type { RunQuery } from './run-query.ts';
import { VIEW_COLUMNS } from './view-columns.ts';

/** How many of the newest posts are looked at before the index: a frequent word is among them. */
const RECENT_CANDIDATES = 2000;

/** How many candidates comparing the words of a text costs as much as. */
const TEXT_COST = 20;

const VISIBLE = `kind = 'post' and not hidden and created_at < coalesce($1, '~')`;
const FILTER = `($4::text is null or coalesce(prefix, 'none') = $4) and (not $5 or parent_id is null)`;

const toItems = (rows: string): string => `(select coalesce(json_agg(json_build_object(
  'record', record, 'children', children, 'hasLaterResult', "hasLaterResult") order by created_at desc), '[]') from ${rows}) as items`;

// Reads in the order of time, and so no more rows than it looks at. A row without words is one of an older program.
const RECENT = `with found as materialized (
    select ${VIEW_COLUMNS}, created_at from (
      select * from entry where ${VISIBLE} order by created_at desc limit $2) as entry
    where (words @> $3::bigint[] or words is null) and ${FILTER} order by created_at desc limit $6
  )
  select ${toItems('found')}, case when (select count(*) from found) < $6 then
    (select created_at from entry where ${VISIBLE} order by created_at desc offset $2 - 1 limit 1) end as "examinedTo"`;

// Without an order of its own it ends after one row too many, however many there are.
const INDEXED = `with matching as materialized (
    (select id, created_at from entry where ${VISIBLE} and words @> $3::bigint[] and ${FILTER} limit $2 + 1)
    union all
    (select id, created_at from entry where ${VISIBLE} and words is null and ${FILTER} limit $2 + 1)
  ), found as materialized (
    select ${VIEW_COLUMNS}, created_at from entry
    where id in (select id from matching order by created_at desc limit $6)
  )
  select ${toItems('found')}, (select count(*)::integer from matching) as matching`;

interface Candidates {
  readonly items: RecordView<'post'>[];
  readonly examinedTo: Timestamp | null;
}

/**
 * Reads the feed with a filter. A frequent word is found by reading the newest posts in order of time, a rare one by the
 * GIN index, which knows no order. What is neither is read in order of time, and ends early.
 */
export class FeedReader {
  readonly #runQuery: RunQuery;

  constructor(runQuery: RunQuery) {
    this.#runQuery = runQuery;
  }

  async read(filter: FeedFilter, { before, limit, maxCandidates }: FeedRange): Promise<FeedResult> {
    const items: RecordView<'post'>[] = [];
    let texts = 0;
    for (let from = before; ; ) {
      const found = await this.#candidates(filter, {
        before: from,
        limit: limit - items.length,
        maxCandidates,
      });
      const matching = found.items.filter(({ record }) => holdsWords(record, filter.words ?? []));
      items.push(...matching);
      texts += found.items.length;
      const { examinedTo } = found;
      const isComplete = matching.length === found.items.length || texts * TEXT_COST >= maxCandidates;
      if (examinedTo === null || isComplete) return { items, examinedTo };
      from = examinedTo;
    }
  }

  async #candidates(filter: FeedFilter, range: FeedRange): Promise<Candidates> {
    const { limit, maxCandidates } = range;
    const recent = await this.#recent(filter, range, Math.min(RECENT_CANDIDATES, maxCandidates));
    if (recent.examinedTo === null || recent.items.length === limit) return recent;
    const hashes = filterHashes(filter);
    const values = this.#values(filter, { ...range, limit }, maxCandidates, hashes);
    const [indexed] = await this.#runQuery<{ items: RecordView<'post'>[]; matching: number }>(
      'feed indexed',
      INDEXED,
      values,
    );
    if (indexed !== undefined && indexed.matching <= maxCandidates) {
      const { items, matching } = indexed;
      return { items, examinedTo: matching > limit ? (items.at(-1)?.record.createdAt ?? null) : null };
    }
    return this.#recent(filter, range, maxCandidates);
  }

  /** @param count of the candidates */
  async #recent(filter: FeedFilter, range: FeedRange, count: number): Promise<Candidates> {
    const values = this.#values(filter, range, count, filterHashes(filter));
    const [found] = await this.#runQuery<{ items: RecordView<'post'>[]; examinedTo: Timestamp | null }>(
      'feed recent',
      RECENT,
      values,
    );
    const { items = [], examinedTo = null } = found ?? {};
    // A full page ends with its last post, whatever else there is.
    return {
      items,
      examinedTo: items.length === range.limit ? (items.at(-1)?.record.createdAt ?? null) : examinedTo,
    };
  }

  #values(filter: FeedFilter, range: FeedRange, count: number, hashes: readonly number[]): unknown[] {
    const { prefix, threads = false } = filter;
    const name = prefix === undefined ? null : (prefix ?? 'none');
    return [range.before ?? null, count, hashes, name, threads, range.limit];
  }
}
