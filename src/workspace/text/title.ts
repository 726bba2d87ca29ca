import { prefixOf } from './prefix.ts';

/** In code points. */
const MAX_TITLE_LENGTH = 80;

/** How much of a line is looked at, in UTF-16 units: more than a title shows, whatever marks are removed. */
const MAX_LINE_UNITS = 400;

/** The beginning of a word at the end of a title that is cut. A longer one stays: some scripts have no blanks. */
const LAST_PART_OF_WORD = /\s\S{0,15}$/u;

/** What looks odd before an ellipsis. */
const TRAILING_MARKS = /[\s,;:.]+$/u;

const LINE_BREAKS = /[\r\n\u0085\u2028\u2029]+/;

/** What a cut leaves of a character outside the Basic Multilingual Plane. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** A line that says something, unlike a fence or a rule of Markdown. */
const HAS_TEXT = /[\p{L}\p{N}\p{So}]/u;

/** Marks of Markdown at the beginning of a line: headings, quotes, lists. */
const LINE_MARKS = /^(?:[\s>]|#{1,6}(?=\s)|[-*+](?=\s))+/;

/** Marks of Markdown inside of a line. */
const INLINE_MARKS = /\*\*|`/g;

/**
 * What a message is about, on one line: its first text after the prefix, which often has a line of its own, cut to
 * `MAX_TITLE_LENGTH` with an ellipsis at its end.
 */
export function titleOf(message: string): string {
  const prefix = prefixOf(message);
  const text = prefix === null ? message : message.slice(prefix.length + 1);
  const line = text.split(LINE_BREAKS).find((one) => HAS_TEXT.test(one.slice(0, MAX_LINE_UNITS)));
  const cleaned = cleanLine(line ?? '');
  return cutTitle(cleaned || (prefix ?? cleanBlanks(message)));
}

function cleanLine(line: string): string {
  return cleanBlanks(cutLine(line).replace(LINE_MARKS, '').replace(INLINE_MARKS, ''));
}

function cutLine(text: string): string {
  return text.slice(0, MAX_LINE_UNITS).replace(HALF_CHARACTER, '');
}

function cleanBlanks(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function cutTitle(text: string): string {
  const characters = Array.from(cutLine(text));
  if (characters.length <= MAX_TITLE_LENGTH) return text;
  const shown = characters.slice(0, MAX_TITLE_LENGTH - 1).join('');
  return `${shown.replace(LAST_PART_OF_WORD, '').replace(TRAILING_MARKS, '')}…`;
}
