import type { Timestamp } from '#store/port/records.ts';

/**
 * A timestamp as a number, for columns and comparisons: keys are in the order of their timestamps. The
 * microseconds since the year 0000 need 59 bits, more than a number counts exactly, so a key is the number
 * that has these bits: positive numbers are in the order of their bits. Keys are only compared; the
 * difference of two has the right sign.
 */
export type TimeKey = number;

export const BEFORE_ALL: TimeKey = -1;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Days from 1 January of the year 0000 to that of 1970. */
const DAYS_TO_1970 = 719_528;
const MICROS_PER_MS = 1000;
const WORD = 2 ** 32;
/** The microseconds of a day have 37 bits: 32 in the lower word, and these in the upper one. */
const UPPER = 2 ** 5;
const MS_LENGTH = '2026-11-21T10:49:32.123'.length;
const DATE_LENGTH = '2026-11-21'.length;

const bits = new DataView(new ArrayBuffer(8));

function keyOf(day: number, micros: number): TimeKey {
  bits.setUint32(0, day * UPPER + Math.floor(micros / WORD));
  bits.setUint32(4, micros % WORD);
  return bits.getFloat64(0);
}

/** @returns the days since the year 0000, and the microseconds of the day */
function partsOf(key: TimeKey): { day: number; micros: number } {
  bits.setFloat64(0, key);
  const upper = bits.getUint32(0);
  return { day: Math.floor(upper / UPPER), micros: (upper % UPPER) * WORD + bits.getUint32(4) };
}

/**
 * @param timestamp or a date alone, which means its beginning
 * @throws RangeError for another text
 */
export function toTimeKey(timestamp: Timestamp): TimeKey {
  const isDate = timestamp.length === DATE_LENGTH;
  const ms = Date.parse(isDate ? timestamp : `${timestamp.slice(0, MS_LENGTH)}Z`);
  if (Number.isNaN(ms)) throw new RangeError('a timestamp that does not exist');
  const day = Math.floor(ms / DAY_MS);
  const micros = isDate ? 0 : Number(timestamp.slice(MS_LENGTH, MS_LENGTH + 3));
  return keyOf(day + DAYS_TO_1970, (ms - day * DAY_MS) * MICROS_PER_MS + micros);
}

/** @param ms milliseconds since 1970 @returns `BEFORE_ALL` for a time before the year 0000 */
export function timeKeyAt(ms: number): TimeKey {
  const day = Math.floor(ms / DAY_MS);
  if (day < -DAYS_TO_1970) return BEFORE_ALL;
  return keyOf(day + DAYS_TO_1970, Math.floor((ms - day * DAY_MS) * MICROS_PER_MS));
}

export function toTimestamp(key: TimeKey): Timestamp {
  const { day, micros } = partsOf(key);
  const ms = (day - DAYS_TO_1970) * DAY_MS + Math.floor(micros / MICROS_PER_MS);
  const text = new Date(ms).toISOString().slice(0, -1);
  return `${text}${String(micros % MICROS_PER_MS).padStart(3, '0')}Z`;
}

/** @returns the key of the first microsecond of the day after that of the key */
export function nextDay(key: TimeKey): TimeKey {
  return keyOf(partsOf(key).day + 1, 0);
}

/** @returns the highest key that is lower */
export function keyBefore(key: TimeKey): TimeKey {
  const { day, micros } = partsOf(key);
  if (micros > 0) return keyOf(day, micros - 1);
  return day > 0 ? keyOf(day - 1, DAY_MS * MICROS_PER_MS - 1) : BEFORE_ALL;
}
