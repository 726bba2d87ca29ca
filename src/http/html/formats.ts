import { DAY_MS } from '#workspace/text/time.ts';

// Dates and times for people, in UTC. An RFC 3339 date-time of the store is a text that is cut into parts.

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const DAY_LENGTH = 'YYYY-MM-DD'.length;

const monthName = (at: string): string => MONTHS[Number(at.slice(5, 7)) - 1] ?? '';
const dayNumber = (at: string): number => Number(at.slice(8, 10));

/** @param day `YYYY-MM-DD` */
function formatWeekday(day: string): string {
  return WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? '';
}

/** `Monday 2 March 2026`. @param day `YYYY-MM-DD` */
export function formatDay(day: string): string {
  return `${formatWeekday(day)} ${dayNumber(day)} ${formatMonth(day)}`;
}

/** `March 2026`. @param day `YYYY-MM-DD` */
export function formatMonth(day: string): string {
  return `${monthName(day)} ${day.slice(0, 4)}`;
}

/** `2 Mar 2026`, or `2 Mar` in a known year. @param known a day or year near it in the text: `2026` */
export function formatDate(at: string, known = ''): string {
  const year = at.slice(0, 4);
  return `${dayNumber(at)} ${monthName(at).slice(0, 3)}${known.startsWith(year) ? '' : ` ${year}`}`;
}

/**
 * `2 Mar 2026, 15:30 UTC`, without the year or the day that the text around it states.
 * @param known a day or year that the text around it states: `2026-03-02` or `2026`
 */
export function formatTime(at: string, known = ''): string {
  const time = `${at.slice(11, 16)} UTC`;
  if (known.length >= DAY_LENGTH && at.startsWith(known.slice(0, DAY_LENGTH))) return time;
  return `${formatDate(at, known)}, ${time}`;
}

/** `15:30` today, `Fri 15:30` in the six days before, otherwise `2 Mar`. @param today `YYYY-MM-DD` */
export function formatBrief(at: string, today: string): string {
  const day = at.slice(0, DAY_LENGTH);
  const age = Date.parse(today) - Date.parse(day);
  if (age > 6 * DAY_MS) return formatDate(at, today.slice(0, 4));
  return `${age > 0 ? `${formatWeekday(day).slice(0, 3)} ` : ''}${at.slice(11, 16)}`;
}

/** `15:30:07 UTC`. */
export function formatClock(at: string): string {
  return `${at.slice(11, 19)} UTC`;
}

/** `2026-03-02 15:30 UTC`, for Markdown. */
export function formatMinute(at: string): string {
  return `${at.slice(0, 16).replace('T', ' ')} UTC`;
}

/** `2026-03-02 15:30:07 UTC`, for Markdown. */
export function formatSecond(at: string): string {
  return `${at.slice(0, 10)} ${formatClock(at)}`;
}

/** Puts a stranger's text between “ and ”, which it cannot end. */
export const inQuotes = (text: string): string => text.replaceAll(/[“”„‟❝❞〝〞]/g, '"');

/** Formats a count with its noun: `1 reply`, `2 replies`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
