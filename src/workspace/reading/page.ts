import { codePointLength } from '#message/code-points.ts';
import type { Range } from '#store/port/pages.ts';
import type { CountedRecord, Kind, Records, Timestamp } from '#store/port/records.ts';
import type { Reader } from '#store/port/store.ts';
import type { TextLimit } from '#workspace/service/caller.ts';
import { ceilToMicrosecond } from '#workspace/text/time.ts';
import { recordTexts } from '#workspace/text/lengths.ts';

/** The approximate number of posts that one call examines, which bounds the cost of every search. */
export const MAX_CANDIDATES = 20_000;

export interface Page<K extends Kind> {
  readonly items: CountedRecord<K>[];
  /** The cursor of the next page: the timestamp of the last item. Null only for the last page. */
  readonly next: Timestamp | null;
}

/** The validated arguments of a list with the newest record first. */
export interface PageQuery {
  readonly limit: number;
  /** RFC 3339 date-time, exclusive. */
  readonly before?: string | undefined;
}

/** Converts a query to a range of the store. It rounds the cursor up to a microsecond, to skip no record. */
export function newest({ limit, before }: PageQuery): Range {
  return { order: 'newest', limit, before: ceilToMicrosecond(before) };
}

/**
 * Reads one page. For a caller with a text budget, the page ends with the record that reaches the budget, and
 * its text is not cut.
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

/** @returns the items after a cursor in a list that is not strictly in the order of time */
export function restOf<Item>(
  list: readonly Item[],
  timeOf: (item: Item) => Timestamp,
  before: Timestamp | undefined,
): readonly Item[] {
  if (before === undefined) return list;
  const last = list.findIndex((item) => timeOf(item) === before);
  return last < 0 ? list.filter((item) => timeOf(item) < before) : list.slice(last + 1);
}

/**
 * @param rest `next` of the page if all of `found` fits
 * @returns the first items, at most `limit`; it ends with the item that reaches the text budget
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
 * @returns the beginning of each list, at most `maxLength` items; they are taken from the lists in turn, up
 *   to `maxBytes` of JSON
 */
export function fillWithinBudget<Lists extends Record<string, readonly unknown[]>>(
  lists: Lists,
  maxBytes: number,
  maxLength = Infinity,
): Lists {
  type Filled = Lists & Record<string, unknown[]>;
  const empty = Object.entries(lists).map(([name]) => [name, [] as unknown[]] as const);
  const filled = Object.fromEntries<unknown[]>(empty) as Filled;
  let bytes = 0;
  for (let row = 0; row < maxLength && Object.values(lists).some((list) => row < list.length); row++)
    for (const [name, list] of Object.entries(lists)) {
      if (row >= list.length) continue;
      bytes += jsonBytes(list[row]) + 1;
      if (bytes > maxBytes) return filled;
      filled[name]?.push(list[row]);
    }
  return filled;
}

/** Members that only web pages show. */
const UNSENT: readonly string[] = ['shortSigner', 'likeName'];

/** @returns the JSON bytes of a value as tools return it */
export function jsonBytes(value: unknown): number {
  const sent = JSON.stringify(value, (key, member: unknown) => (UNSENT.includes(key) ? undefined : member));
  return Buffer.byteLength(sent);
}
