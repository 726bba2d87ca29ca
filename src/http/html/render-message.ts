import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { endsList, splitLines } from '#message/blocks.ts';
import { escapeText } from './html.ts';
import { markRecords } from './record-labels.ts';
import { parsePrefix } from '#workspace/text/prefix.ts';
import { BEGINS_WITH_WORD, ENDS_WITH_WORD, LABEL } from '#workspace/text/title.ts';

/**
 * The nesting depth of tokens; a list takes two levels. The library omits deeper ones. Browsers and
 * `foldMarkup` walk the elements around each word.
 */
const MAX_NESTING = 20;

/** The maximum number of table cells, including those that a row omits. Each takes some microseconds. */
const MAX_CELLS = 4_000;

/** A cell with at most this many characters is not wrapped. */
const SHORT_CELL = 24;

/** The line below the head of a table. */
const DELIMITER_ROW = /^[\s>]*[|:-][-:|\s]*$/;

/** How many times as long as the text a rendering may be, plus `SMALL`; see `renderMessage`. */
const MAX_GROWTH = 8;
const SMALL = 4_000;

/** So many blanks would move the words after them out of sight. */
const LONG_BLANKS = /[^\S\n]{80}/;

const EMPTY_LINES = /\n(?:[^\S\n]*\n){11,}/g;

/** The rest of the line after a prefix if it is blank, otherwise the blanks before the text. */
const REST_OF_LINE = /^[^\S\r\n]*(?:\r\n|[\r\n\u0085\u2028\u2029])?/;

/** A character that Markdown may treat as markup. Numbers of items are not included. */
const MARK = /[\s#>*_`~\-+|:\\.)]/;

/** The beginning of what follows an asterisk in a file name pattern. */
const BEGINS_PATH = /^[/.]/;

/** Item numbers for which a list has room, as browsers show them. */
const ITEM_NUMBER = /^(?:0|[1-9]\d{0,2})$/;

/**
 * Renders headings, lists, quotes, tables, code, emphasis and line breaks, but no raw HTML, links, images or
 * their definitions. `entity` is disabled because character references could produce characters that are
 * refused.
 */
const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true, maxNesting: MAX_NESTING });
markdown.disable(['reference', 'link', 'image', 'autolink', 'lheading', 'entity']);

endListsAtLabels(markdown);
keepMarksInWords(markdown);

/** Makes the library keep asterisks and underscores that are not emphasis: `2*3*4`, `src/**`, `__init__`. */
function keepMarksInWords({ inline }: typeof markdown): void {
  inline.State = class extends inline.State {
    override scanDelims(start: number, canSplitWord: boolean) {
      const found = super.scanDelims(start, canSplitWord);
      const end = start + found.length;
      const [before, after] = [this.src.slice(Math.max(0, start - 2), start), this.src.slice(end, end + 2)];
      const isName = this.src.startsWith('__', start);
      return {
        ...found,
        can_open: found.can_open && !isName && !ENDS_WITH_WORD.test(before) && !BEGINS_PATH.test(after),
        can_close: found.can_close && !isName && !BEGINS_WITH_WORD.test(after) && !before.endsWith('/'),
      };
    }
  };
}

/** Makes the library end a list before a label that is not indented. Only further items continue the list. */
export function endListsAtLabels({ block }: typeof markdown): void {
  block.ruler.push(
    'label',
    ({ sCount, blkIndent, src, bMarks, tShift, eMarks }, line, _end, silent) =>
      silent &&
      (sCount[line] ?? 0) < blkIndent &&
      endsList(src.slice((bMarks[line] ?? 0) + (tShift[line] ?? 0), eMarks[line])),
    { alt: ['paragraph'] },
  );
}

Object.assign(markdown.renderer.rules, {
  text: renderText,
  // A heading of a message must not change the outline of the page.
  heading_open: () => '<p class="heading"><strong>',
  heading_close: () => '</strong></p>\n',
  // `tabindex` makes a wide table focusable, so that the keyboard can scroll it.
  table_open: () => '<div class="wide" role="group" aria-label="Table" tabindex="0" dir="auto"><table>\n',
  table_close: () => '</table></div>\n',
  th_open: openCell,
  th_close: (tokens: Token[], index: number) => `</${contentOf(tokens, index - 1) === '' ? 'td' : 'th'}>\n`,
  td_open: openCell,
  // Browsers would count on from the first number.
  list_item_open: (tokens: Token[], index: number) => {
    const { info = '' } = tokens[index] ?? {};
    return info === '' ? '<li>' : `<li value="${info}">`;
  },
  bullet_list_open: openList,
  ordered_list_open: openList,
  fence: renderCode,
  code_block: renderCode,
});

/**
 * Renders the Markdown of a stranger's text as HTML, without its prefix, which is shown beside it, and with
 * the labels of the layouts in bold. Markup, links and images in it stay text; ids of records are marked for
 * `linkRecords`. Shown as plain text are a block in which the rendering would hide something, and a text
 * with a disproportionately large rendering, such as a table of thousands of empty cells.
 */
export function renderMessage(message: string): string {
  const prefix = parsePrefix(message);
  const text = prefix === null ? message : message.slice(prefix.length + 1).replace(REST_OF_LINE, '');
  const lines = splitLines(text);
  const source = lines.join('\n');
  if (countCells(lines) > MAX_CELLS) return renderPlain(source);
  const blocks = toBlocks(markdown.parse(source, {}));
  const starts = blocks.map(([first], index) => (index === 0 ? 0 : first?.map?.[0]));
  const rendered = blocks.map((tokens, index) => {
    const raw = lines.slice(starts[index], starts[index + 1]).join('\n');
    return showsAll(tokens, raw)
      ? markdown.renderer.render(tokens, markdown.options, {})
      : renderPlain(raw.trimEnd());
  });
  const markup = rendered.join('');
  return markup.length <= MAX_GROWTH * text.length + SMALL ? markup : renderPlain(source);
}

/** Groups the tokens of a text by outermost block. */
function toBlocks(tokens: readonly Token[]): Token[][] {
  const blocks: Token[][] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) blocks.push([]);
    blocks.at(-1)?.push(token);
  }
  return blocks;
}

/** Whether the rendering of a block has every character of its lines in order, except for markup. */
function showsAll(tokens: readonly Token[], raw: string): boolean {
  if (tokens.some(nestsTooDeep)) return false;
  const shown = tokens.map(shownText).join('');
  let at = 0;
  for (let index = 0; index < raw.length; ) {
    if (raw[index] === shown[at]) {
      index += 1;
      at += 1;
    } else if (MARK.test(raw[index] ?? '')) index += 1;
    else if (MARK.test(shown[at] ?? '')) at += 1;
    else return false;
  }
  return true;
}

function nestsTooDeep({ level, children }: Token): boolean {
  return [level, ...(children ?? []).map((inline) => inline.level)].some((one) => one >= MAX_NESTING - 2);
}

function shownText({ type, content, info, children }: Token): string {
  if (children !== null) return children.map(shownText).join('');
  if (type === 'list_item_open') return ITEM_NUMBER.test(info) ? info : '';
  return info + content;
}

function renderPlain(text: string): string {
  // Browsers drop a line feed directly after `<pre>`.
  return `<pre class="plain">\n${escapeText(countEmptyLines(text))}</pre>\n`;
}

/** Replaces more than ten empty lines with their number, so that no line is far below the others. */
function countEmptyLines(text: string): string {
  return text.replace(
    EMPTY_LINES,
    (run) => `\n… ${(run.split('\n').length - 2).toLocaleString('en')} empty lines\n`,
  );
}

/** An upper bound for the number of cells in the tables of these lines. */
function countCells(lines: readonly string[]): number {
  const columns = lines.map((line) => (DELIMITER_ROW.test(line) ? line.split('|').length : 0));
  return Math.max(...columns) * lines.length;
}

/** Escapes a text, and puts the label of a layout at the beginning of a line in bold. */
function renderText(tokens: readonly Token[], index: number): string {
  const text = contentOf(tokens, index);
  const isFirst = index === 0 || tokens[index - 1]?.type === 'softbreak';
  const label = isFirst ? (LABEL.exec(text)?.[0].trimEnd() ?? '') : '';
  const rest = markRecords(escapeText(text.slice(label.length)));
  return label === '' ? rest : `<strong>${escapeText(label)}</strong>${rest}`;
}

/** Puts the bullets of a list on the side where its text begins. */
function openList(tokens: Token[], index: number): string {
  tokens[index]?.attrSet('dir', 'auto');
  return markdown.renderer.renderToken(tokens, index, markdown.options);
}

const contentOf = (tokens: readonly Token[], index: number): string => tokens[index]?.content ?? '';

/** An empty cell is not a heading. The library sets `style`, which the Content-Security-Policy forbids. */
function openCell(tokens: readonly Token[], index: number): string {
  const tag = tokens[index]?.tag === 'th' && contentOf(tokens, index + 1) !== '' ? 'th' : 'td';
  const { attrs = null } = tokens[index] ?? {};
  const [, alignment] = /^text-align:(center|right)$/.exec(String(attrs?.[0]?.[1])) ?? [];
  const isLong = contentOf(tokens, index + 1).length > SHORT_CELL;
  const classes = [alignment, isLong ? 'long' : undefined].filter(Boolean).join(' ');
  return classes === '' ? `<${tag}>` : `<${tag} class="${classes}">`;
}

function renderCode(tokens: readonly Token[], index: number): string {
  const info = tokens[index]?.info.trim() ?? '';
  const code = countEmptyLines(contentOf(tokens, index));
  const classes = LONG_BLANKS.test(code) ? 'wide wrapped' : 'wide';
  return (
    (info === '' ? '' : `<p class="small quiet">${escapeText(info)}</p>\n`) +
    `<pre class="${classes}" tabindex="0"><code>${escapeText(code)}</code></pre>\n`
  );
}
