/** A record's time: UTC, six fraction digits, `Z`, as in `2026-11-21T10:49:32.123456Z`; stamps compare as strings. */
export type Stamp = string;

/** In UTC; the seconds of the day may lie up to a day outside it, by an offset or a leap second. */
interface Moment {
  day: Day;
  seconds: number;
  /** The digits after the point, which may be finer than a stamp. */
  fraction: string;
}

type Day = readonly [year: number, month: number, day: number];

const MAX_CHARACTERS = 64;
const DATE = /(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/;
const TIME = /([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?/;
/** A blank stands for a plus: in a query string an unencoded `+` is one. */
const OFFSET = /(Z|[+ -](?:[01]\d|2[0-3]):[0-5]\d)/;
const DATE_TIME = new RegExp(`^${DATE.source}T${TIME.source}${OFFSET.source}$`, 'i');

const MICRO_DIGITS = 6;
const MICROS = 10 ** MICRO_DIGITS;
const DAY_SECONDS = 24 * 60 * 60;
const FIRST: Stamp = '0000-01-01T00:00:00.000000Z';
const LAST: Stamp = '9999-12-31T23:59:59.999999Z';

/**
 * The first stamp that is not before an RFC 3339 date-time: `createdAt < it` is exactly "older than that instant",
 * also where the instant is finer than a microsecond.
 * @returns null when the text is no date-time with an offset
 */
export function ceilToMicrosecond(text: string): Stamp | null {
  const moment = parseMoment(text);
  return moment && toStamp(moment, /[1-9]/.test(moment.fraction.slice(MICRO_DIGITS)) ? 1 : 0);
}

/**
 * The last stamp that is not after an RFC 3339 date-time: `createdAt > it` is exactly "newer than that instant".
 * @returns null when the text is no date-time with an offset
 */
export function floorToMicrosecond(text: string): Stamp | null {
  const moment = parseMoment(text);
  return moment && toStamp(moment, 0);
}

/** Without a JS Date, which drops microseconds and takes 30 February for 2 March. */
function parseMoment(text: string): Moment | null {
  const parts = text.length > MAX_CHARACTERS ? null : DATE_TIME.exec(text);
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  if (day > daysIn(year, month)) return null;
  const [fraction = '', offset = 'Z'] = parts.slice(7);
  return {
    day: [year, month, day],
    seconds: hour * 3600 + minute * 60 + second - secondsOf(offset),
    fraction,
  };
}

function secondsOf(offset: string): number {
  const ahead = Number(offset.slice(1, 3)) * 3600 + Number(offset.slice(4)) * 60;
  return offset.startsWith('-') ? -ahead : ahead;
}

/** Beyond the years 0000 to 9999 there is no stamp and no record: the first or the last stamp stands for it. */
function toStamp({ day, seconds, fraction }: Moment, extraMicros: 0 | 1): Stamp {
  const micros = Number(fraction.slice(0, MICRO_DIGITS).padEnd(MICRO_DIGITS, '0')) + extraMicros;
  const total = seconds + Math.floor(micros / MICROS);
  const step = Math.floor(total / DAY_SECONDS);
  const rest = total - step * DAY_SECONDS;
  const [year, month, date] = shiftDay(day, step);
  if (year < 0) return FIRST;
  if (year > 9999) return LAST;
  const dayText = `${digits(year, 4)}-${digits(month, 2)}-${digits(date, 2)}`;
  const clock = [rest / 3600, (rest / 60) % 60, rest % 60]
    .map((part) => digits(Math.floor(part), 2))
    .join(':');
  return `${dayText}T${clock}.${digits(micros % MICROS, MICRO_DIGITS)}Z`;
}

/** @param step one day back, none, or one on: offsets stay under 24 hours */
function shiftDay([year, month, day]: Day, step: number): Day {
  if (day + step < 1) return month === 1 ? [year - 1, 12, 31] : [year, month - 1, daysIn(year, month - 1)];
  if (day + step > daysIn(year, month)) return month === 12 ? [year + 1, 1, 1] : [year, month + 1, 1];
  return [year, month, day + step];
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
