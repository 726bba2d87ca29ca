import { endsList, parseLines } from './blocks.ts';

/** Only signers may follow the colon, plain or as code. "Trust: low" is ordinary text. */
export const BEFORE_SIGNERS = String.raw`(?=[\s*_]{0,9}[:：][\s*_\x60]{0,9}(?:[\da-hjkmnp-tv-z]{12}(?:[\s,.*_\x60]{1,9}|$)){1,64}$)`;
/** Only one message id may follow the colon. Any other line, such as "Same key as: me", is ordinary text. */
const BEFORE_ID = String.raw`(?=[\s*_]{0,9}[:：][\s*_\x60]{0,9}post_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}[\s*_\x60]{0,9}$)`;
/** Matches the earlier forms "Circle: with …" and "Circle: without …". */
const earlier = (word: string): string => String.raw`circle(?=[^:：]{0,60}[:：][\s*_]{0,9}${word}\b)`;

/** The words before the colon of a line, by the label that they stand for. */
const LABELS = {
  ends: 'ends',
  takes: 'step i am taking',
  due: 'next update by',
  corrects: 'corrects|replaces|correction of',
  resultChecked: 'result being checked',
  alsoChecked: 'checked|what i checked|reviewed',
  outcome: 'outcome',
  evidence: 'checks performed|evidence',
  parts: 'parts',
  part: 'part',
  trust: `trust${BEFORE_SIGNERS}|${earlier('with')}`,
  distrust: `distrust${BEFORE_SIGNERS}|${earlier('without')}`,
  sameKey: `same key as${BEFORE_ID}`,
  findings: 'findings',
  uncertainty: 'remaining uncertainty',
  limits: 'limits|limitations',
  other: 'expected result|sources and date checked',
} as const;

type Label = keyof typeof LABELS;

/** List bullets, heading marks and emphasis that may precede a label. */
const LEAD_IN = /[\s#*_+•-]*(?:\d{1,3}[.)]\s*[*_]*)?/y;

// Brackets, or a slash and a second label that ends with a letter, may precede the colon. No two adjacent
// parts match a blank: otherwise a line of blanks could be divided between them in every possible way.
const LABEL = new RegExp(
  `(?:${Object.entries(LABELS)
    .map(([label, words]) => `(?<${label}>${words})`)
    .join('|')})` +
    String.raw`(?![\p{L}\p{N}])(?<qualifier>(?:\s*/(?=\s?[a-z ])\s?(?:[a-z ]{0,39}[a-z])?)?` +
    String.raw`(?:\s*[([][^)\]]*[)\]])?)[\s*_]*[:：][\s*_]*`,
  'iuy',
);

const HAS_WORD = /[\p{L}\p{N}]/u;

export interface LabelledLine {
  readonly label: Label;
  /** What is between the label and its colon: brackets, or a slash and a second label. Usually empty. */
  readonly qualifier: string;
  readonly text: string;
  /** The lines up to the next label. */
  readonly below: readonly string[];
}

/** @returns the lines that begin with a label in any case and a colon, outside code, quotations and tables */
export function parseLabels(message: string, prefix: string | null): LabelledLine[] {
  const found: (LabelledLine & { readonly below: string[] })[] = [];
  for (const { text, isText } of parseLines(message, prefix)) {
    const line = isText ? matchLabel(text) : undefined;
    if (line !== undefined) found.push({ ...line, below: [] });
    else found.at(-1)?.below.push(text);
  }
  return found;
}

/** @returns the text after the colon or, if it has no word, with the lines below; empty without a word */
export function textOf({ text, below }: LabelledLine): string {
  const all = HAS_WORD.test(text) ? text : [text, ...below].join(' ').trim();
  return HAS_WORD.test(all) ? all : '';
}

/**
 * Returns the text after the first of the labels or, if its line ends there, the line below. The colon of a
 * label must be in the first 60 characters of its line.
 * @param labels in lower case, without brackets
 * @returns null without such a line
 */
export function parseField(message: string, prefix: string | null, labels: readonly string[]): string | null {
  let isFound = false;
  for (const { text, isText } of parseLines(message, prefix)) {
    if (isFound && HAS_WORD.test(text)) return isText && !endsList(text) ? text.trim() : null;
    LEAD_IN.lastIndex = 0;
    const line = isText ? text.slice(LEAD_IN.exec(text)?.[0].length ?? 0) : '';
    const colon = line.slice(0, 60).search(/[:：]/);
    const [name = ''] = line.slice(0, Math.max(colon, 0)).split(/[([]/, 1);
    if (!labels.includes(name.trim().toLowerCase())) continue;
    const value = line.slice(colon + 1).replace(/^[\s*_]+/, '');
    if (HAS_WORD.test(value)) return value.trim();
    isFound = true;
  }
  return null;
}

function matchLabel(line: string): Omit<LabelledLine, 'below'> | undefined {
  LEAD_IN.lastIndex = 0;
  LABEL.lastIndex = LEAD_IN.exec(line)?.[0].length ?? 0;
  const found = LABEL.exec(line);
  if (found === null) return undefined;
  const isLabel = (name: string): boolean => name !== 'qualifier' && found.groups?.[name] !== undefined;
  const label = Object.keys(found.groups ?? {}).find(isLabel) as Label;
  return { label, qualifier: found.groups?.['qualifier']?.trim() ?? '', text: line.slice(LABEL.lastIndex) };
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const DATE = /(\d{4})-(\d{2})-(\d{2})/;
const TIME = /(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?/;
const OFFSET = /\s?(?:(?:Z|UTC)\b|([+-])(\d{2}):?(\d{2}))?/;
const DATE_AND_TIME = new RegExp(`^${DATE.source}(?:(?:[T,]\\s*|\\s+)${TIME.source}${OFFSET.source})?`, 'i');
const TIME_ALONE = new RegExp(`^${TIME.source}${OFFSET.source}`, 'i');
/** What may follow a time that is not in UTC: letters such as PST, PM or pm, or an offset without minutes. */
const OTHER_CLOCK = /^\s?\(?(?:(?!(?:UTC|GMT)\b)[A-Z]{2,5}\b|[ap]\.?m\b|(?:UTC|GMT)?[+-]\d)/;

/**
 * Parses the time on the first line that begins with `Next update by`: a date with or without a time, or a
 * time, in UTC unless an offset of hours and minutes follows. A date alone means its end, a time alone its
 * next occurrence.
 * @param createdAt when the message was published, milliseconds since 1970
 * @returns milliseconds since 1970; null if there is no such line, or no time on it
 */
export function parseDueTime(lines: readonly LabelledLine[], createdAt: number): number | null {
  const { text = '' } = lines.find(({ label }) => label === 'due') ?? {};
  const dated = DATE_AND_TIME.exec(text);
  if (dated !== null) {
    const [year = '', month = '', day = '', ...time] = dated.slice(1);
    const start = Date.UTC(Number(year), Number(month) - 1, Number(day));
    // Date.UTC reads 30 February as 2 March.
    if (new Date(start).toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return null;
    if (time[0] === undefined) return start + DAY_MS;
    if (OTHER_CLOCK.test(text.slice(dated[0].length))) return null;
    const offset = millisecondsOf(time);
    return offset === null ? null : start + offset;
  }
  const alone = TIME_ALONE.exec(text);
  if (alone === null || OTHER_CLOCK.test(text.slice(alone[0].length))) return null;
  const offset = millisecondsOf(alone.slice(1));
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
