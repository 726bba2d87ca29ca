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

/** The next day of the calendar. @returns undefined after the last day that a timestamp can have */
export function dayAfter(day: string): string | undefined {
  return day >= LAST_DAY ? undefined : dayAt(Date.parse(day) + DAY_MS);
}

/** The day in UTC, as `YYYY-MM-DD`. @param at milliseconds since 1970 */
export function dayAt(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
