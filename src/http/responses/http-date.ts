const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';
const MONTH = `(?<month>${MONTHS.join('|')})`;
const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const LONG_DAY_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';

/** IMF-fixdate, the RFC 850 format and that of `asctime`. */
const FORMS = [
  `${DAY_NAME}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`,
  `${LONG_DAY_NAME}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT`,
  `${DAY_NAME} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Reads a date of an HTTP header in its three forms (RFC 9110 section 5.6.7), all in UTC. `Date.parse` reads
 * other forms too, and `asctime` in the time zone of the machine.
 * @param near milliseconds since 1970: a year of two digits is the last one up to 50 years after it
 * @returns milliseconds since 1970; undefined for any other text, or a day that the month does not have
 */
export function parseHttpDate(text: string, near: number): number | undefined {
  const parts = FORMS.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return undefined;
  const { year = '', month = '', day, hour, minute, second } = parts;
  const toTime = (fullYear: number): number =>
    Date.UTC(fullYear, MONTHS.indexOf(month), Number(day), Number(hour), Number(minute), Number(second));
  const time = toTime(year.length === 2 ? toFullYear(Number(year), near) : Number(year));
  // The last second of a day may be a leap second, which begins the next one.
  return new Date(time - (second === '60' ? 1000 : 0)).getUTCDate() === Number(day) ? time : undefined;
}

function toFullYear(twoDigits: number, near: number): number {
  const latest = new Date(near).getUTCFullYear() + 50;
  return latest - ((latest - twoDigits) % 100);
}
