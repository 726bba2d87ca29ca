import { BEFORE_SIGNERS } from '#message/labels.ts';
import { cutText } from '#message/code-points.ts';
import { LAYOUTS } from './layouts.ts';
import { parsePrefix } from './prefix.ts';

/** In code points. */
const MAX_TITLE_LENGTH = 80;

/** How many UTF-16 code units of a line are examined: more than a title, even after marks are removed. */
export const MAX_LINE_UNITS = 400;

/** A partial word at the end of a cut title. A longer one is kept, because some scripts have no blanks. */
const LAST_PART_OF_WORD = /\s\S{0,15}$/u;

/** Punctuation that is removed before an ellipsis. */
const TRAILING_MARKS = /(?<![\s,;:.])[\s,;:.]+$/u;

/** How many lines are examined. */
const MAX_LINES = 100;

const LINE_BREAKS = /[\r\n\u0085\u2028\u2029]+/;

/** A high surrogate at the end, separated from its low one by a cut. */
const HALF_CHARACTER = /[\uD800-\uDBFF]$/;

/** A line with text, not a fence or a rule of Markdown. */
export const HAS_TEXT = /[\p{L}\p{N}\p{So}]/u;

/** Marks of Markdown at the beginning of a line: headings, quotes, lists. */
const LINE_MARKS = /^(?:[\s>]|#{1,6}(?=\s)|[-*+](?=\s))+/;

/** A letter or digit, except in scripts without spaces, where marks of emphasis are between letters. */
const SPACELESS = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr'];
const IN_WORD = `(?![${SPACELESS.map((script) => `\\p{scx=${script}}`).join('')}])[\\p{L}\\p{N}]`;

/** Next to these, an asterisk is text, as in `2*3*4`, and neither begins nor ends emphasis. */
export const ENDS_WITH_WORD = new RegExp(`(?:${IN_WORD}|[)\\]}])$`, 'u');
export const BEGINS_WITH_WORD = new RegExp(`^${IN_WORD}`, 'u');

const INLINE_MARKS = new RegExp(
  `(?<!${IN_WORD}|[)\\]}])\\*\\*(?![\\s/.])|(?<=[^\\s/])\\*\\*(?!${IN_WORD})|\``,
  'gu',
);

/** The labels of the layouts, without their parentheses, and other labels that the protocol names. */
const LABELS = [
  ...Object.values(LAYOUTS).flatMap(({ lines }) => lines.map((line) => line.replace(/ \(.*\)$/, ''))),
  ...['Corrects', 'Replaces', 'Correction of', 'Checked', 'What I checked', 'Reviewed', 'Outcome', 'Part'],
];

/**
 * A label at the beginning of a line, with optional parentheses and its colon, which may be full-width. No
 * two adjacent parts match a blank: otherwise a line of blanks would take quadratic time.
 */
export const LABEL = new RegExp(
  `^(${[...new Set(LABELS)].join('|')})(?:\\s*\\([^)]*\\))?\\s*[:\uFF1A]\\s*`,
  'i',
);

/** Labels of lines that say what a message belongs to. They are never the title of a RESULT. */
const BELONGINGS: readonly (string | null)[] = ['part', 'corrects', 'replaces', 'correction of'];
const BELONGS = new RegExp(`^(?:dis)?trust${BEFORE_SIGNERS}`, 'i');

/** For a message that begins with a label: the labels with a text that can be its title, best first. */
const TELLING: Readonly<Partial<Record<string, readonly string[]>>> = {
  IDEA: ['useful outcome', 'first step'],
  RESULT: ['what i produced'],
};

/** A record id, of which a title shows only the kind and the end. */
const ID = /\b(post|project|note|guest)_[0-9a-f-]{32}([0-9a-f]{4})\b/g;

/** A line about another message of the same writer, which is not a title. */
const SAME_KEY = /^same key as[\s*_]*[:：][\s*_]*post …[0-9a-f]{4}$/i;

/** A line that has only short post ids, which is not a useful title. */
export const IDS_ALONE = /^(?:post …[0-9a-f]{4}[\s,;.]*)+$/;

interface Line {
  /** In lower case; null if the line has none. */
  readonly label: string | null;
  readonly text: string;
}

/**
 * Derives the title of a message, one line of at most `MAX_TITLE_LENGTH`: its first text, without the prefix,
 * the labels of its layout and Markdown. If an IDEA or RESULT begins with a label, it is the text of a label
 * in `TELLING`. A cut title ends with an ellipsis.
 * @example "RESULT:\nPart: hills\nTwo wells" has the title "Two wells",
 *   "RESULT:\nLimitations: none\nWhat I produced: a table" has "a table".
 */
export function toTitle(message: string): string {
  const prefix = parsePrefix(message);
  const text = prefix === null ? message : message.slice(prefix.length + 1);
  const first = findFirst(text);
  const wanted = first?.label == null ? [] : (TELLING[prefix ?? ''] ?? []);
  const lines = wanted.length === 0 ? [] : [...parseLines(text)];
  const [found = first] = wanted.flatMap((label) => lines.find((line) => line.label === label) ?? []);
  const isTitle = prefix !== 'RESULT' || !BELONGINGS.includes(found?.label ?? null);
  return cutTitle((isTitle ? found?.text : undefined) ?? prefix ?? cleanBlanks(message));
}

/** @returns the first line that is more than ids or a line of `BELONGINGS`, or else the first line */
function findFirst(text: string): Line | undefined {
  let first: Line | undefined;
  for (const line of parseLines(text)) {
    first ??= line;
    if (!BELONGINGS.includes(line.label) && !IDS_ALONE.test(line.text)) return line;
  }
  return first;
}

/** Yields the lines with text; a label alone on its line applies to the next line. */
function* parseLines(text: string): Generator<Line, void> {
  let label: string | null = null;
  for (const line of text.split(LINE_BREAKS, MAX_LINES)) {
    const cleaned = cleanLine(line);
    if (SAME_KEY.test(cleaned)) continue;
    const [all, name = BELONGS.test(cleaned) ? 'part' : null] = LABEL.exec(cleaned) ?? [''];
    label = name?.toLowerCase() ?? label;
    const rest = cleaned.slice(all.length);
    if (!HAS_TEXT.test(rest)) continue;
    yield { label, text: rest };
    label = null;
  }
}

/** @returns a line without Markdown, with single blanks and short ids */
export function cleanLine(line: string): string {
  return cleanBlanks(cutLine(line).replace(LINE_MARKS, '').replace(INLINE_MARKS, '')).replace(ID, '$1 …$2');
}

function cutLine(text: string): string {
  return text.slice(0, MAX_LINE_UNITS).replace(HALF_CHARACTER, '');
}

function cleanBlanks(text: string): string {
  // Matches no single blanks, which are the most frequent.
  return text.trim().replace(/\s{2,}|[^\S ]/g, ' ');
}

/** Cuts a line, after a word if it can, and ends it with an ellipsis. @param max code points */
export function cutTitle(text: string, max = MAX_TITLE_LENGTH): string {
  const line = cutLine(text);
  if (cutText(line, max) === line) return text;
  const shown = cutText(line, max - 1);
  return `${shown.replace(LAST_PART_OF_WORD, '').replace(TRAILING_MARKS, '')}…`;
}
