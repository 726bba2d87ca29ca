import { parsePrefix } from './prefix.ts';

/** In code points. */
const MAX_TITLE_LENGTH = 80;

/**
 * The part of a line that is examined, in UTF-16 units: longer than a title, even after marks are removed.
 */
const MAX_LINE_UNITS = 400;

/** A partial word at the end of a cut title. A longer one is kept, because some scripts have no blanks. */
const LAST_PART_OF_WORD = /\s\S{0,15}$/u;

/** Punctuation that is removed before an ellipsis. */
const TRAILING_MARKS = /[\s,;:.]+$/u;

const LINE_BREAKS = /[\r\n\u0085\u2028\u2029]+/;

/** A high surrogate that a cut has separated from its low one. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** A line with text, unlike a fence or a rule of Markdown. */
const HAS_TEXT = /[\p{L}\p{N}\p{So}]/u;

/** Marks of Markdown at the beginning of a line: headings, quotes, lists. */
const LINE_MARKS = /^(?:[\s>]|#{1,6}(?=\s)|[-*+](?=\s))+/;

/** Marks of Markdown within a line. */
const INLINE_MARKS = /\*\*|`/g;

/**
 * The first line of a message with text, without its prefix and without marks of Markdown, cut to
 * `MAX_TITLE_LENGTH`. A title that is cut ends with an ellipsis.
 */
export function toTitle(message: string): string {
  const prefix = parsePrefix(message);
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
