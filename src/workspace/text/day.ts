import { DAY_MS } from '#workspace/durations.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** @returns a day of the calendar, `YYYY-MM-DD`, and the one after it; null for any other text */
export function parseDay(text: string): { day: string; next: string } | null {
  if (!DAY.test(text)) return null;
  const at = Date.parse(`${text}T00:00:00.000Z`);
  // `Date` reads 30 February as 2 March.
  if (Number.isNaN(at) || dayAt(at) !== text) return null;
  return { day: text, next: dayAt(at + DAY_MS) };
}

/** @param at milliseconds since 1970 @returns the day in UTC */
export function dayAt(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
