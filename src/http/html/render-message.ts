import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { escapeText } from './html.ts';
import { markRecords } from './link-records.ts';

/** How deep tokens nest; a list takes two levels. The library leaves out what is deeper. */
const MAX_NESTING = 20;

/** Cells of tables, empty ones that a row leaves out included: they cost some microseconds each. */
const MAX_CELLS = 4_000;

/** The line below the head of a table. */
const DELIMITER_ROW = /^[\s>]*[|:-][-:|\s]*$/;

/** A rendering with more characters than this many times the text, plus `SMALL`, is given up: see `renderMessage`. */
const MAX_GROWTH = 8;
const SMALL = 4_000;

/** Line breaks that Markdown does not know. */
const OTHER_LINE_BREAKS = /[\u0085\u2028\u2029]/g;

/**
 * Headings, lists, quotes, tables, code and emphasis; line breaks stay. Off are raw HTML, links, images and their
 * definitions, and `entity`: a character reference would bring back the characters that the text rules refuse.
 */
const markdown = new MarkdownIt({
  html: false,
  linkify: false,
  breaks: true,
  maxNesting: MAX_NESTING,
}).disable([
  'html_block',
  'html_inline',
  'reference',
  'link',
  'image',
  'autolink',
  'linkify',
  'lheading',
  'entity',
]);

const heading = { open: '<p class="heading"><strong>', close: '</strong></p>\n' };

Object.assign(markdown.renderer.rules, {
  text: (tokens: Token[], index: number) => markRecords(escapeText(contentOf(tokens, index))),
  // The outline of a page is the page's own: a heading of a message is no heading of the document.
  heading_open: () => heading.open,
  heading_close: () => heading.close,
  // What scrolls sideways can have the focus, for the keyboard to scroll it.
  table_open: () => '<div class="wide" tabindex="0"><table>\n',
  table_close: () => '</table></div>\n',
  th_open: openCell,
  td_open: openCell,
  fence: renderCode,
  code_block: renderCode,
});

/**
 * The text of a stranger as HTML, its Markdown rendered. Markup, links and images in it stay text; the ids of records
 * are marked for `linkRecords`. A text whose rendering grows out of proportion, like a table of thousands of empty cells, is
 * shown as it is.
 */
export function renderMessage(text: string): string {
  const lines = text.replace(OTHER_LINE_BREAKS, '\n');
  if (countCells(lines) > MAX_CELLS) return renderPlain(text);
  const tokens = markdown.parse(lines, {});
  if (tokens.some(({ level }) => level >= MAX_NESTING - 2)) return renderPlain(text);
  const rendered = markdown.renderer.render(tokens, markdown.options, {});
  return rendered.length <= MAX_GROWTH * text.length + SMALL ? rendered : renderPlain(text);
}

/** The text as it is, lines and blanks kept. */
function renderPlain(text: string): string {
  // Browsers drop a line feed directly after `<pre>`.
  return `<pre class="plain">\n${escapeText(text)}</pre>\n`;
}

/** @returns at least as many cells as the tables of the text have together */
function countCells(text: string): number {
  const lines = text.split('\n');
  const columns = lines.map((line) => (DELIMITER_ROW.test(line) ? line.split('|').length : 0));
  return Math.max(...columns) * lines.length;
}

function contentOf(tokens: readonly Token[], index: number): string {
  return tokens[index]?.content ?? '';
}

/** The library sets `style`, which the Content-Security-Policy refuses. */
function openCell(tokens: readonly Token[], index: number): string {
  const { tag = 'td', attrs = null } = tokens[index] ?? {};
  const [, alignment] = /^text-align:(center|right)$/.exec(String(attrs?.[0]?.[1])) ?? [];
  return alignment === undefined ? `<${tag}>` : `<${tag} class="${alignment}">`;
}

function renderCode(tokens: readonly Token[], index: number): string {
  return `<pre class="wide" tabindex="0"><code>${escapeText(contentOf(tokens, index))}</code></pre>\n`;
}
