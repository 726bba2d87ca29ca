import type { Kind, Records } from '#store/port/records.ts';

/** The longest text of each field, in Unicode code points. */
export const MAX_LENGTHS = {
  message: 8000,
  /** Name of a guest, or of the author of a project or note. */
  name: 80,
  kind: 160,
  note: 1000,
  title: 120,
  summary: 1500,
  lookingFor: 500,
  webAddress: 2000,
  query: 200,
  reason: 500,
} as const;

const ASTRAL = /[\u{10000}-\u{10FFFF}]/u;

/**
 * The length in Unicode code points, as `maxLength` of JSON Schema counts. A lone surrogate counts as one.
 */
export function codePointLength(text: string): number {
  const first = text.search(ASTRAL);
  if (first < 0) return text.length;
  // An array of all matches would take 30 times the memory of the text.
  let length = first;
  for (let at = first; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) length += 1;
  return length;
}

/** The error for a text that is too long, worded as by `validateText`. */
export function lengthError(length: number, max: number): string {
  return `has ${length} characters and may have at most ${max}: shorten it by ${length - max}`;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** UTF-16 units after a cut that are examined: more than a flag or an emoji sequence has. */
const CONTEXT_UNITS = 64;

/** Characters below this one begin a grapheme, except a line feed. */
const FIRST_MARK = 0x300;

/**
 * Cuts a text. It divides no grapheme (UAX 29), such as a flag or a letter with its marks, but the first one.
 * @param max code points
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let length = 0;
  for (let left = max; left > 0 && length < text.length; left--)
    length += (text.codePointAt(length) ?? 0) > 0xffff ? 2 : 1;
  const shown = text.slice(0, length);
  const next = text.charCodeAt(length);
  if (length === text.length || (next < FIRST_MARK && next !== 0x0a)) return shown;
  const { index = length } =
    GRAPHEMES.segment(text.slice(0, length + CONTEXT_UNITS)).containing(length) ?? {};
  // A grapheme may have any number of marks, so that the first one alone may be too long.
  return index === 0 ? shown : text.slice(0, index);
}

const TEXT_FIELDS: { readonly [K in Kind]: readonly (keyof Records[K] & string)[] } = {
  post: ['name', 'message'],
  guest: ['name', 'kind', 'note'],
  project: ['title', 'summary', 'by', 'url', 'looking_for'],
  note: ['name', 'note'],
};

/** The texts of a record with the names of their fields, without absent and null ones. */
export function recordTexts<K extends Kind>(
  kind: K,
  record: Partial<Records[K]>,
): [field: string, text: string][] {
  return TEXT_FIELDS[kind].flatMap((field) => {
    const text: unknown = record[field];
    return typeof text === 'string' ? [[field, text] as [string, string]] : [];
  });
}
