const ASTRAL = /[\u{10000}-\u{10FFFF}]/u;

/** Counts Unicode code points, like `maxLength` of JSON Schema. A lone surrogate counts as one. */
export function codePointLength(text: string): number {
  const first = text.search(ASTRAL);
  if (first < 0) return text.length;
  // An array of all matches would take 30 times the memory of the text.
  let length = first;
  for (let index = first; index < text.length; index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1)
    length += 1;
  return length;
}

/** Created on first use, because that takes 10 ms. */
let graphemes: Intl.Segmenter | undefined;

/** How many UTF-16 code units after a cut are examined: more than a flag or an emoji sequence has. */
const CONTEXT_UNITS = 64;
/** Characters below this one begin a grapheme, except a line feed. */
const FIRST_MARK = 0x300;

/** @param max code points @returns the text, or its beginning and an ellipsis */
export function abbreviate(text: string, max: number): string {
  return cutText(text, max) === text ? text : `${cutText(text, max - 1)}…`;
}

/** Cuts a text between graphemes (UAX 29), unless the first is too long. @param max code points */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  let length = 0;
  for (let left = max; left > 0 && length < text.length; left--)
    length += (text.codePointAt(length) ?? 0) > 0xffff ? 2 : 1;
  const shown = text.slice(0, length);
  const next = text.charCodeAt(length);
  if (length === text.length || (next < FIRST_MARK && next !== 0x0a)) return shown;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const { index = length } =
    graphemes.segment(text.slice(0, length + CONTEXT_UNITS)).containing(length) ?? {};
  // The first grapheme may be too long, because a grapheme may have any number of marks.
  return index === 0 ? shown : text.slice(0, index);
}
