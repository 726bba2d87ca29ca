import { html, type Html } from '#http/html/html.ts';
import { splitLines } from '#message/blocks.ts';
import { cutText } from '#message/code-points.ts';
import { BEGINNING } from '#work/message-view.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { findFirstHit, findHits } from '#workspace/text/search-hits.ts';
import { cleanLine, HAS_TEXT, IDS_ALONE, LABEL, MAX_LINE_UNITS } from '#workspace/text/title.ts';

/** In code points. */
const MAX_LENGTH = 200;

/** UTF-16 units before a hit. */
const BEFORE_HIT = 60;

/** A low surrogate that a cut has separated from its high one. */
const HALF_CHARACTER = /^[\uDC00-\uDFFF]/;
/** A longer part is kept, because some scripts have no blanks. */
const LAST_PART_OF_WORD = /(?<![\s,;:.·])[\s,;:.·]+\S{0,15}$/u;
const LEADING_MARKS = /^[\s,;:.·\p{M}]+/u;

/**
 * The text on one line, without its prefix, its first label, empty lines, lines of ids and marks of Markdown.
 * Without a query it is the beginning of a long text.
 */
export function toPlainText(text: string, query?: string): string {
  const isTelling = (rest: string): boolean => HAS_TEXT.test(rest) && !IDS_ALONE.test(rest);
  const lines = plainLines(text, query).filter((line) => isTelling(withoutLabel(line)));
  return withoutLabel(joinLines(lines));
}

function plainLines(text: string, query: string | undefined): string[] {
  const prefix = parsePrefix(text);
  const rest = prefix === null ? text : text.slice(prefix.length + 1);
  return splitLines(rest.slice(0, query === undefined ? BEGINNING : undefined))
    .map((line) => {
      const cells = cleanLine(line).split('|');
      const plain = cells
        .map((cell) => cell.trim())
        .join(' ')
        .trim();
      return line.length > MAX_LINE_UNITS ? `${plain.replace(LAST_PART_OF_WORD, '')}…` : plain;
    })
    .filter((line) => HAS_TEXT.test(line));
}

/** Returns the text after the title, on one line and without Markdown characters. */
export function toPlainRest(title: string, text: string, query?: string): string {
  const lines = plainLines(text, query);
  const titleStart = title.replace(/…$/, '');
  const place = lines.findIndex((line) => withoutLabel(line).startsWith(titleStart));
  if (place >= 0) {
    const rest = withoutLabel(lines[place] ?? '')
      .slice(titleStart.length)
      .replace(LEADING_MARKS, '');
    lines.splice(place, 1, ...(rest === '' ? [] : [`…${rest}`]));
  }
  return joinLines(lines);
}

const ENDS_OPEN = /[\p{L}\p{N}\p{M})\]”"»]$/u;

/** Joins lines into one. A line with a label begins a new sentence. */
const joinLines = (lines: readonly string[]): string =>
  lines.reduce((all, line) => {
    const between = !LABEL.test(line) ? ' · ' : ENDS_OPEN.test(all) ? '. ' : ' ';
    return all === '' ? line : `${all}${between}${line}`;
  }, '');

const withoutLabel = (line: string): string => line.replace(LABEL, '');

/** Cuts a text to the length of an excerpt around the first word of a query. */
export function cutExcerpt(text: string, query?: string): string {
  const hit = findFirstHit(text, query)?.start ?? 0;
  const wordStart = text.lastIndexOf(' ', hit - BEFORE_HIT) + 1;
  const from = hit <= MAX_LENGTH / 2 ? 0 : Math.max(wordStart, hit - 2 * BEFORE_HIT);
  const rest = text.slice(from).replace(HALF_CHARACTER, '');
  const beginning = cutText(rest, MAX_LENGTH);
  const excerpt = beginning === rest ? rest : `${beginning.replace(LAST_PART_OF_WORD, '')}…`;
  return from === 0 ? excerpt : `…${excerpt}`;
}

/** Returns a text that was cut, without the incomplete word at its end. */
export const withoutHalfWord = (text: string): string => text.replace(/(?<!\s)\s+\S{0,15}…$/u, '…');

export function markHits(text: string, query: string | undefined): Html {
  const hits = findHits(text, query);
  const parts = hits.map(({ start, end }, index) => {
    const before = text.slice(hits[index - 1]?.end ?? 0, start);
    return html`${before}<mark>${text.slice(start, end)}</mark>`;
  });
  return html`${parts}${text.slice(hits.at(-1)?.end ?? 0)}`;
}
