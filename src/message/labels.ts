/** Marks of lists, headings and emphasis, which may precede a label in its line. */
const MARKS = String.raw`^[\s#*_+•-]*(?:\d{1,3}[.)]\s*[*_]*)?`;
const LINE_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/;
/** Longer lines are read up to here. */
const MAX_LINE_CHARACTERS = 1000;
/** The line that begins or ends a block of code (CommonMark 0.31, 4.5). */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/**
 * @param labels regular expressions without flags
 * @returns matches a line that begins with one of the labels, in any case, and a colon, with a bracket
 *   between them if it is there
 */
export function labelPattern(...labels: readonly string[]): RegExp {
  // No two parts beside each other match a blank: a line of blanks would take time by their square.
  return new RegExp(
    String.raw`${MARKS}(?:${labels.join('|')})\b(?:\s*[([][^)\]]*[)\]])?[\s*_]*[:：][\s*_]*`,
    'i',
  );
}

/** @yields what follows the label in each line that begins with it, outside of quotations and code */
export function* labelledLines(message: string, label: RegExp): Generator<string, void> {
  let fence: string | undefined;
  for (const line of message.split(LINE_BREAK)) {
    const text = line.slice(0, MAX_LINE_CHARACTERS);
    const [, mark, rest = ''] = FENCE.exec(text) ?? [];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark?.startsWith(fence ?? ' ') === true && rest.trim() === '') fence = undefined;
    if (fence !== undefined) continue;
    const found = label.exec(text)?.[0];
    if (found !== undefined) yield text.slice(found.length);
  }
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const DUE_LABEL = labelPattern('next update by');
const DATE = /(\d{4})-(\d{2})-(\d{2})/;
const TIME = /(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?/;
const OFFSET = /\s?(?:(?:Z|UTC)\b|([+-])(\d{2}):?(\d{2}))?/;
const DATE_AND_TIME = new RegExp(`^${DATE.source}(?:(?:[T,]\\s*|\\s+)${TIME.source}${OFFSET.source})?`, 'i');
const TIME_ALONE = new RegExp(`^${TIME.source}${OFFSET.source}`, 'i');

/**
 * The time in the first line of a message that begins with `Next update by`, read loosely: a date with or
 * without a time, or a time, UTC unless an offset follows. A date alone means its end, a time alone
 * its next occurrence.
 * @param createdAt when the message was published, milliseconds since 1970
 * @returns milliseconds since 1970; null if there is no such line or its time cannot be read
 */
export function parseDueTime(message: string, createdAt: number): number | null {
  for (const line of labelledLines(message, DUE_LABEL)) return timeIn(line, createdAt);
  return null;
}

function timeIn(text: string, createdAt: number): number | null {
  const dated = DATE_AND_TIME.exec(text);
  if (dated !== null) {
    const [year = '', month = '', day = '', ...time] = dated.slice(1);
    const start = Date.UTC(Number(year), Number(month) - 1, Number(day));
    // Date.UTC reads 30 February as 2 March.
    if (new Date(start).toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return null;
    if (time[0] === undefined) return start + DAY_MS;
    const offset = millisecondsOf(time);
    return offset === null ? null : start + offset;
  }
  const alone = TIME_ALONE.exec(text);
  const offset = alone && millisecondsOf(alone.slice(1));
  if (offset === null) return null;
  const today = createdAt - (createdAt % DAY_MS) + (((offset % DAY_MS) + DAY_MS) % DAY_MS);
  return today > createdAt ? today : today + DAY_MS;
}

/** @returns the time since the start of the day in UTC; null for an hour, minute or offset out of range */
function millisecondsOf([hour, minute, second, sign, offsetHour, offsetMinute]: readonly (
  | string
  | undefined
)[]): number | null {
  const [h, m, s, oh, om] = [hour, minute, second, offsetHour, offsetMinute].map((part) =>
    Number(part ?? 0),
  ) as [number, number, number, number, number];
  if (h > 23 || m > 59 || s > 59 || oh > 23 || om > 59) return null;
  const ahead = (oh * 60 + om) * (sign === '-' ? -1 : 1);
  return (h * 60 + m - ahead) * MINUTE_MS + s * 1000;
}
