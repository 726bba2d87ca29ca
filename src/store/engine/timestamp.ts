import { LAST_TIMESTAMP, type Timestamp } from '#store/port/records.ts';
import { StoreFailure } from '#store/port/store.ts';

const MICROS_PER_MS = 1000;
export const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
const MIN_MS = Date.parse('0000-01-01T00:00:00.000Z');
const MAX_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Caches the last result of `toISOString`, which is slow: most writes of a batch share a millisecond. */
let lastFormatted = { ms: NaN, text: '' };

/** @param micros below 1000; a separate number, since one cannot hold microseconds after the year 2255 */
function toTimestamp(ms: number, micros: number): Timestamp {
  if (ms !== lastFormatted.ms) lastFormatted = { ms, text: new Date(ms).toISOString().slice(0, -1) };
  return `${lastFormatted.text}${String(micros).padStart(3, '0')}Z`;
}

/** @returns one microsecond later. @throws StoreFailure after the last microsecond of the year 9999 */
function successorOf(timestamp: Timestamp): Timestamp {
  const ms = Date.parse(`${timestamp.slice(0, 23)}Z`);
  const micros = Number(timestamp.slice(23, 26)) + 1;
  if (micros < MICROS_PER_MS) return toTimestamp(ms, micros);
  if (timestamp >= LAST_TIMESTAMP)
    throw new StoreFailure('nothing', 'the newest record has the last possible timestamp, in the year 9999');
  return toTimestamp(ms + 1, 0);
}

/**
 * The timestamp of the next operation: now, or one microsecond after the last if the clock has not advanced
 * or was set back. So timestamps always rise, and a cursor made from one neither skips nor repeats a record.
 * They stay within the years 0000 to 9999, since strings sort in the order of time only there.
 * @example
 *   nextTimestamp(null, Date.UTC(2026, 10, 21)); // '2026-11-21T00:00:00.000000Z'
 *   nextTimestamp('2026-11-21T00:00:00.000999Z', Date.UTC(2026, 10, 21)); // '2026-11-21T00:00:00.001000Z'
 * @param last the latest timestamp of the store; null in an empty store
 * @param now wall-clock time in milliseconds since 1970
 * @throws StoreFailure if the clock is outside of those years, or no timestamp is left
 */
export function nextTimestamp(last: Timestamp | null, now: number): Timestamp {
  const ms = Math.floor(now);
  if (!(ms >= MIN_MS && ms <= MAX_MS))
    throw new StoreFailure('nothing', 'the clock of this machine is outside of the years 0000 to 9999');
  const current = toTimestamp(ms, Math.floor((now - ms) * MICROS_PER_MS));
  return last === null || current > last ? current : successorOf(last);
}

/** @param ms since 1970 @returns the day in UTC, as `2026-11-21` */
export function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Null is earlier than all timestamps. */
export function latest(a: Timestamp | null, b: Timestamp | null): Timestamp | null {
  return a === null || (b !== null && b > a) ? b : a;
}
