import { LAST_TIMESTAMP, type Timestamp } from '#store/port/records.ts';

export const MINUTE_MS = 60 * 1000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is a day of the calendar, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00.000Z`);
  // `Date` reads 30 February as 2 March.
  return !Number.isNaN(at) && dayAt(at) === text;
}

const LAST_DAY = '9999-12-31';

/** @returns the next day; undefined after the last day that a timestamp can have */
export function dayAfter(day: string): string | undefined {
  return day >= LAST_DAY ? undefined : dayAt(Date.parse(day) + DAY_MS);
}

/** @param at milliseconds since 1970 @returns the day in UTC, as `YYYY-MM-DD` */
export function dayAt(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

interface Instant {
  /** Whole seconds in milliseconds since 1970. */
  readonly at: number;
  /** The digits after the point. */
  readonly fraction: string;
}

const DATE = /(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/;
const TIME = /([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?/;
/** A space counts as a plus: in a query string, an unencoded `+` decodes to a space. */
const OFFSET = /(Z|[+ -](?:[01]\d|2[0-3]):[0-5]\d)/;
/** `date-time` of RFC 3339, section 5.6, case-insensitive, with the leap second of section 5.7. */
const DATE_TIME = new RegExp(`^${DATE.source}T${TIME.source}${OFFSET.source}$`, 'i');

const FRACTION_DIGITS = 6;
const MICROS_PER_SECOND = 10 ** FRACTION_DIGITS;
export const FIRST_TIMESTAMP: Timestamp = '0000-01-01T00:00:00.000000Z';

/**
 * Returns the earliest timestamp that is not before an RFC 3339 date-time. `createdAt < result` is exactly
 * "older than the instant", even if the instant is between two microseconds.
 * @returns undefined unless the text is an RFC 3339 date-time
 */
export function ceilToMicrosecond(text: string | undefined): Timestamp | undefined {
  const instant = parseDateTime(text);
  return instant && toTimestamp(instant, /[1-9]/.test(instant.fraction.slice(FRACTION_DIGITS)) ? 1 : 0);
}

/**
 * Returns the latest timestamp that is not after an RFC 3339 date-time. `createdAt > result` is exactly
 * "newer than the instant".
 * @returns undefined unless the text is an RFC 3339 date-time
 */
export function floorToMicrosecond(text: string | undefined): Timestamp | undefined {
  const instant = parseDateTime(text);
  return instant && toTimestamp(instant, 0);
}

/** @param at milliseconds since 1970 */
export function timestampAt(at: number): Timestamp {
  return new Date(at).toISOString().replace('Z', '000Z');
}

/** `Date.parse` would drop microseconds and read 30 February as 2 March. */
function parseDateTime(text = ''): Instant | undefined {
  const parts = text.length > 64 ? null : DATE_TIME.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  const [fraction = '', offset = 'Z'] = parts.slice(7);
  const time = new Date(0);
  // `Date.UTC` would read the years 0 to 99 as 1900 to 1999.
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCDate() !== day) return undefined;
  return { at: time.setUTCHours(hour, minute, second) - toOffset(offset), fraction };
}

/** @returns milliseconds ahead of UTC */
function toOffset(offset: string): number {
  const ahead = Number(offset.slice(1, 3)) * HOUR_MS + Number(offset.slice(4)) * MINUTE_MS;
  return offset.startsWith('-') ? -ahead : ahead;
}

/** Converts an instant outside the years 0000 to 9999 to the first or last timestamp. */
function toTimestamp({ at, fraction }: Instant, extraMicros: 0 | 1): Timestamp {
  const micros = Number(fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0')) + extraMicros;
  const time = new Date(at + Math.floor(micros / MICROS_PER_SECOND) * 1000);
  if (time.getUTCFullYear() < 0) return FIRST_TIMESTAMP;
  if (time.getUTCFullYear() > 9999) return LAST_TIMESTAMP;
  const digits = String(micros % MICROS_PER_SECOND).padStart(FRACTION_DIGITS, '0');
  return `${time.toISOString().slice(0, 19)}.${digits}Z`;
}

/** @returns the timestamp one microsecond later */
export const justAfter = (timestamp: Timestamp): Timestamp => shift(timestamp, 1);

/** @returns the timestamp one microsecond earlier: an exclusive lower bound that includes `timestamp` */
export const justBefore = (timestamp: Timestamp): Timestamp => shift(timestamp, -1);

function shift(timestamp: Timestamp, by: 1 | -1): Timestamp {
  const micros = Number(timestamp.slice(23, 26)) + by;
  const carry = Math.floor(micros / 1000);
  const at = Date.parse(`${timestamp.slice(0, 23)}Z`) + carry;
  return `${new Date(at).toISOString().slice(0, -1)}${String(micros - carry * 1000).padStart(3, '0')}Z`;
}
