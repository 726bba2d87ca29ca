import type { Range } from '#store/port/store.ts';
import { BEFORE_ALL, keyBefore, toTimeKey, type TimeKey } from './columns/time-key.ts';

/** A range of records by the keys of their timestamps. Both bounds are exclusive. */
export interface KeyRange {
  readonly order: Range['order'];
  readonly limit: number;
  readonly before?: TimeKey | undefined;
  readonly after?: TimeKey | undefined;
}

const DATE_LENGTH = '2026-11-21'.length;

/** @param before a timestamp, or a date, which is before every timestamp of its day */
export function beforeKey(before: string | undefined): TimeKey | undefined {
  return before === undefined ? undefined : toTimeKey(before);
}

/** @param after as of `beforeKey`; an empty text is before everything */
export function afterKey(after: string | undefined): TimeKey | undefined {
  if (after === undefined) return undefined;
  if (after === '') return BEFORE_ALL;
  const key = toTimeKey(after);
  return after.length === DATE_LENGTH ? keyBefore(key) : key;
}

export function toKeyRange({
  order,
  limit,
  before,
  after,
}: Pick<Range, 'order' | 'limit' | 'before' | 'after'>): KeyRange {
  return { order, limit, before: beforeKey(before), after: afterKey(after) };
}
