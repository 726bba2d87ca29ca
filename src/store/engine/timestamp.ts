import type { Timestamp } from '#store/records.ts';

const MICROS_PER_MS = 1000;

/** Caches the last `toISOString`, which dominates the cost: the writes of a batch mostly share a millisecond. */
let lastFormatted = { ms: NaN, text: '' };

function toTimestamp(micros: number): Timestamp {
  const ms = Math.floor(micros / MICROS_PER_MS);
  if (ms !== lastFormatted.ms) lastFormatted = { ms, text: new Date(ms).toISOString().slice(0, -1) };
  return `${lastFormatted.text}${String(micros % MICROS_PER_MS).padStart(3, '0')}Z`;
}

/** @returns microseconds since 1970 */
function toMicros(timestamp: Timestamp): number {
  return Date.parse(`${timestamp.slice(0, 23)}Z`) * MICROS_PER_MS + Number(timestamp.slice(23, 26));
}

/**
 * The timestamp of the next operation: now, or one microsecond after the last if the clock stands still or
 * stepped back. Timestamps therefore rise, and a cursor made of one neither skips nor repeats a record.
 * @param last the latest timestamp of the store; null in an empty store
 * @param now wall-clock time in milliseconds since 1970
 */
export function nextTimestamp(last: Timestamp | null, now: number): Timestamp {
  const micros = Math.floor(now * MICROS_PER_MS);
  return toTimestamp(last === null ? micros : Math.max(micros, toMicros(last) + 1));
}

/** @returns the later of two timestamps; null is earlier than all */
export function latest(a: Timestamp | null, b: Timestamp | null): Timestamp | null {
  return a === null || (b !== null && b > a) ? b : a;
}
