import type { Stamp } from '#store/records.ts';

const MICROS_PER_MS = 1000;

/** Many stamps fall into one millisecond, and writing it out takes longer than all the rest. */
let written = { ms: NaN, text: '' };

function toStamp(micros: number): Stamp {
  const ms = Math.floor(micros / MICROS_PER_MS);
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString().slice(0, -1) };
  return `${written.text}${String(micros % MICROS_PER_MS).padStart(3, '0')}Z`;
}

function toMicros(stamp: Stamp): number {
  return Date.parse(`${stamp.slice(0, 23)}Z`) * MICROS_PER_MS + Number(stamp.slice(23, 26));
}

/**
 * The next instant of the store: now, or one microsecond after the last where the clock stands or has stepped back,
 * so that a date-time cursor can neither skip nor repeat a record.
 * @param last the latest stamp given, or null in an empty store
 * @param now milliseconds since 1970
 */
export function nextTimestamp(last: Stamp | null, now: number): Stamp {
  const micros = Math.floor(now * MICROS_PER_MS);
  return toStamp(last === null ? micros : Math.max(micros, toMicros(last) + 1));
}

/** @returns the later of two stamps. */
export function latest(a: Stamp | null, b: Stamp | null): Stamp | null {
  return a === null || (b !== null && b > a) ? b : a;
}
