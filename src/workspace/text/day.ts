const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** @returns whether a text is a day of the calendar, `YYYY-MM-DD` */
export function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00.000Z`);
  // `Date` reads 30 February as 2 March.
  return !Number.isNaN(at) && dayAt(at) === text;
}

/** @param at milliseconds since 1970 @returns the day in UTC */
export function dayAt(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
