import type { Timestamp } from '#store/port/records.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The time by which keys and write entries expire: the wall clock, unless it is more than a day ahead of what the
 * log shows. A clock that is wrong by days must not destroy keys that limits and retries still need.
 * @param now wall-clock time, milliseconds since 1970
 * @param newest the latest timestamp of the log; null in an empty store, where nothing expires
 * @param unchangedMs how long this process has seen `newest` stay the latest, by its own timers
 * @returns milliseconds since 1970
 */
export function expiryTime(now: number, newest: Timestamp | null, unchangedMs = 0): number {
  if (newest === null) return 0;
  const shown = Date.parse(newest) + unchangedMs;
  return now - shown > DAY_MS ? shown : now;
}
