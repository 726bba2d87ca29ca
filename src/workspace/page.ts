import type { RecordView, Kind, Range, Reader, Records, Stamp } from '#store/store.ts';
import type { Caller } from './caller.ts';
import { ceilToMicrosecond } from './text/rfc3339.ts';
import { codePointLength } from './text/text-rules.ts';
import { textsOf } from './text/record-texts.ts';

export interface Page<K extends Kind> {
  readonly items: RecordView<K>[];
  /** The stamp to go on from; null exactly where nothing more is visible. */
  readonly next: Stamp | null;
}

/** What a caller asks of a list that is read from its newest item on; the input schema has judged it. */
export interface PageQuery {
  readonly limit: number;
  readonly before?: string | undefined;
}

export function newest({ limit, before }: PageQuery): Range {
  return {
    order: 'newest',
    limit,
    before: before === undefined ? undefined : (ceilToMicrosecond(before) ?? undefined),
  };
}

/**
 * One page of a collection. For a caller with a text budget it ends early, at the item whose texts reach it; the
 * cursor goes on behind that item, and no text is cut.
 */
export async function pageOf<K extends Kind>(
  read: Reader,
  kind: K,
  range: Range,
  { textBudget = Infinity }: Caller,
): Promise<Page<K>> {
  const found = await read.page(kind, { ...range, limit: range.limit + 1 });
  const page = found.slice(0, range.limit);
  let characters = 0;
  const full = page.findIndex(({ record }) => (characters += textLength(kind, record)) >= textBudget);
  const items = full < 0 ? page : page.slice(0, full + 1);
  return { items, next: items.length < found.length ? (items.at(-1)?.record.createdAt ?? null) : null };
}

/** @returns how many code points the texts of a record have together */
export function textLength<K extends Kind>(kind: K, record: Records[K]): number {
  return textsOf(kind, record).reduce((sum, [, text]) => sum + codePointLength(text), 0);
}
