import { codePointLength } from '#message/code-points.ts';
import type { Range } from '#store/port/pages.ts';
import type { CountedRecord, Kind, Records, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { ceilToMicrosecond } from '#workspace/text/time.ts';
import { recordTexts } from '#workspace/text/lengths.ts';

/** The approximate number of posts that one call examines. It bounds the cost of every search. */
export const MAX_CANDIDATES = 20_000;

export interface Page<K extends Kind> {
  readonly items: CountedRecord<K>[];
  /** Cursor of the next page: the timestamp of the last item. Null exactly if no more records are visible. */
  readonly next: Timestamp | null;
}

/** Validated arguments of a list with its newest record first. */
export interface PageQuery {
  readonly limit: number;
  /** RFC 3339 date-time, exclusive. */
  readonly before?: string | undefined;
}

/**
 * Converts a query to a range of the store. A cursor between two microseconds is rounded up, so that it skips
 * no record.
 */
export function newest({ limit, before }: PageQuery): Range {
  return { order: 'newest', limit, before: ceilToMicrosecond(before) };
}

/**
 * Reads one page. For a caller with a text budget, the page ends with the record that reaches the budget. No
 * text is cut. The cursor continues after that record.
 * @param measure returns the code points of a record in the page
 */
export async function readPage<K extends Kind>(
  read: Pick<Reader, 'page'>,
  kind: K,
  range: Range,
  textLimit: TextLimit,
  measure = ({ record }: CountedRecord<K>): number => textLength(kind, record),
): Promise<Page<K>> {
  const found = await read.page(kind, { ...range, limit: range.limit + 1 });
  return fitPage(found, { ...textLimit, limit: range.limit, measure });
}

/** @returns the members of an object that are neither undefined nor false */
export const definedOf = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== false),
  ) as Fields;

/** @returns what comes after a cursor in a list; not all of it is in the order of time */
export function restOf<One>(
  list: readonly One[],
  timeOf: (one: One) => Timestamp,
  before: Timestamp | undefined,
): readonly One[] {
  if (before === undefined) return list;
  const last = list.findIndex((one) => timeOf(one) === before);
  return last < 0 ? list.filter((one) => timeOf(one) < before) : list.slice(last + 1);
}

/**
 * @param rest `next` of a page that has all that was found
 * @returns the first items, at most `limit`; the one that reaches the text budget is the last
 */
export function fitPage<K extends Kind>(
  found: readonly CountedRecord<K>[],
  {
    limit,
    textBudget = Infinity,
    measure,
  }: TextLimit & { readonly limit: number; readonly measure: (item: CountedRecord<K>) => number },
  rest: Timestamp | null = null,
): Page<K> {
  let characters = 0;
  const last =
    textBudget === Infinity
      ? -1
      : found.slice(0, limit).findIndex((item) => (characters += measure(item)) >= textBudget);
  const items = found.slice(0, last < 0 ? limit : last + 1);
  return { items, next: items.length < found.length ? (items.at(-1)?.record.createdAt ?? null) : rest };
}

export function textLength<K extends Kind>(kind: K, record: Records[K]): number {
  return recordTexts(kind, record).reduce((sum, [, text]) => sum + codePointLength(text), 0);
}

/**
 * @returns the beginning of each list, at most `maxLength`; items are taken from the lists in turn, up to
 *   `maxBytes` of JSON
 */
export function fillWithinBudget<Lists extends Record<string, readonly unknown[]>>(
  lists: Lists,
  maxBytes: number,
  maxLength = Infinity,
): Lists {
  type Shown = Lists & Record<string, unknown[]>;
  const empty = Object.entries(lists).map(([name]) => [name, [] as unknown[]] as const);
  const shown = Object.fromEntries<unknown[]>(empty) as Shown;
  let bytes = 0;
  for (let row = 0; row < maxLength && Object.values(lists).some((list) => row < list.length); row++)
    for (const [name, list] of Object.entries(lists)) {
      if (row >= list.length) continue;
      bytes += jsonBytes(list[row]) + 1;
      if (bytes > maxBytes) return shown;
      shown[name]?.push(list[row]);
    }
  return shown;
}

/** Members that pages alone show. */
const OF_PAGES: readonly string[] = ['shortSigner', 'likeName'];

/** The bytes of a value as tools return it. */
export function jsonBytes(value: unknown): number {
  const sent = JSON.stringify(value, (key, member: unknown) => (OF_PAGES.includes(key) ? undefined : member));
  return Buffer.byteLength(sent);
}
