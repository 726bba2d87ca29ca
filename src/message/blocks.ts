const LINE_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/;
/** A line of characters that are drawn blank, after quotation marks of Markdown. */
const BLANK_LINE = /^((?:[ \t]*>)*)[\s\p{Default_Ignorable_Code_Point}\u2800]+$/u;
/** How many levels of nesting are parsed: a list has two, a quotation one. Deeper lines are not text. */
const MAX_LEVELS = 18;
const [TAB, SPACE, HASH, QUOTE] = [0x09, 0x20, 0x23, 0x3e] as const;

const HEADING = /#{1,6}(?=[ \t]|$)/y;
const CLOSING_HASHES = /(?:^|[ \t])#+[ \t]*$/;
const RULE = /(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/y;
const FENCE = /(`{3,})[^`]*$|(~{3,})/y;
const ITEM = /(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/y;
const BACKTICKS = /`+/g;
const DELIMITER_ROW = /^[ \t]*[|:-][-:| \t]*$/;

/** A few words in any script and a colon, followed by a blank, emphasis or a character beyond ASCII. */
const LABEL_LIKE =
  /^[*_]{0,3}\p{L}[\p{L}\p{M}\p{N}\p{Join_Control} /()'’-]{0,60}[*_]{0,3}(?:：|:(?=[\s*_\u0080-\uffff]|$))/u;

/** Whether a line that is not indented ends the list above it, because it begins like a label: `Outcome:`. */
export function endsList(line: string): boolean {
  return LABEL_LIKE.test(line);
}

export interface Line {
  /** Empty between blocks. */
  readonly text: string;
  /** Whether it is the writer's own text: not code, a quotation, or a row of a table. */
  readonly isText: boolean;
}

/** A quotation, or an item of a list with the columns by which its text is indented. */
interface Container {
  readonly indent: number | null;
  /** Whether it is an item without text so far. */
  isEmpty: boolean;
}

type Leaf = 'none' | 'paragraph' | 'fence' | 'code';

/** A position in a line, and its column. A tab advances to the next multiple of four. */
interface Cursor {
  index: number;
  column: number;
  /** Columns of a tab that belong to the mark before it. */
  taken: number;
}

/** Splits a text into lines. Lines that look empty become empty. */
export function splitLines(text: string): string[] {
  return text.split(LINE_BREAK).map((line) => (line === '' ? line : line.replace(BLANK_LINE, '$1')));
}

/**
 * Splits a message into lines by the block structure of CommonMark 0.31 (appendix "A parsing strategy"), as
 * pages render it: without HTML blocks, link definitions and underlined headings. It takes linear time.
 * @param prefix of the message, which the lines do not include
 */
export function parseLines(message: string, prefix: string | null): Line[] {
  const source = prefix === null ? message : message.slice(prefix.length + 1).trimStart();
  const blocks = new Blocks();
  for (const line of splitLines(source)) blocks.add(line);
  return blocks.lines();
}

class Blocks {
  readonly #lines: { text: string; isText: boolean }[] = [];
  #open: Container[] = [];
  #leaf: Leaf = 'none';
  /** The line that began the open block of code. */
  #fence = '';
  /** The index of the first line of the open paragraph. */
  #paragraph = 0;

  add(line: string): void {
    const cursor: Cursor = { index: 0, column: 0, taken: 0 };
    const matched = this.#matchContainers(line, cursor);
    const isWhole = matched === this.#open.length;
    if (isWhole && this.#leaf === 'fence') {
      this.#addToFence(line, cursor);
      return;
    }
    const openLeaf = this.#leaf;
    const containers = this.#open.slice(0, matched);
    let leaf: Leaf = isWhole ? openLeaf : 'none';
    for (;;) {
      const indent = indentAt(line, cursor);
      const start = cursor.index + spacesAt(line, cursor.index);
      if (start === line.length) {
        this.#begin(containers, leaf === 'code' ? leaf : 'none', '');
        return;
      }
      if (indent >= 4) {
        const goesOn = openLeaf === 'paragraph' && containers.length === matched;
        // After the text of an item, markdown-it ends the paragraph, and CommonMark continues it.
        if (goesOn && (typeof this.#open[matched]?.indent !== 'number' || !beginsBlock(line, cursor))) break;
        this.#begin(containers, 'code', line.slice(cursor.index).trim());
        return;
      }
      const mark = line.charCodeAt(start);
      if (levelsOf(containers) >= MAX_LEVELS) {
        this.#begin(containers, 'none', line.slice(start).trim());
        return;
      }
      if (mark === QUOTE) {
        advance(line, cursor, indent);
        skipMark(cursor, 1);
        if (indentAt(line, cursor) > 0) advance(line, cursor, 1);
        containers.push({ indent: null, isEmpty: false });
        leaf = 'none';
        continue;
      }
      const fence = matchAt(FENCE, line, start);
      if (fence !== null) {
        this.#begin(containers, 'fence', '');
        this.#fence = fence[1] ?? fence[2] ?? '';
        return;
      }
      const heading = mark === HASH ? matchAt(HEADING, line, start) : null;
      if (heading !== null) {
        const text = line.slice(start + heading[0].length).trim();
        this.#begin(containers, 'none', text.replace(CLOSING_HASHES, '').trimEnd(), !isQuoted(containers));
        return;
      }
      if (matchAt(RULE, line, start) !== null) {
        this.#begin(containers, 'none', '');
        return;
      }
      const item = matchAt(ITEM, line, start);
      if (item === null) break;
      const rest = start + item[0].length;
      const isBare = rest + spacesAt(line, rest) === line.length;
      // Within a paragraph, a number or an empty item is rarely meant as a list.
      if (leaf === 'paragraph' && (isBare || (item[1] !== undefined && Number(item[1]) !== 1))) break;
      advance(line, cursor, indent);
      skipMark(cursor, item[0].length);
      const gap = indentAt(line, cursor);
      const width = isBare || gap > 4 ? 1 : gap;
      if (!isBare) advance(line, cursor, width);
      containers.push({ indent: indent + item[0].length + width, isEmpty: isBare });
      leaf = 'none';
    }
    const text = line.slice(cursor.index).trim();
    const isOfItem = !isQuoted(this.#open.slice(matched)) && endsList(text);
    const isLazy = !isWhole && containers.length === matched && openLeaf === 'paragraph' && !isOfItem;
    if (isLazy || (leaf === 'paragraph' && containers.length === this.#open.length)) {
      this.#lines.push({ text, isText: !isQuoted(this.#open) });
      return;
    }
    this.#begin(containers, 'paragraph', text, !isQuoted(containers));
    this.#paragraph = this.#lines.length - 1;
  }

  lines(): Line[] {
    this.#endParagraph();
    return this.#lines;
  }

  /** Moves `cursor` past the marks of open containers. @returns how many of them the line continues */
  #matchContainers(line: string, cursor: Cursor): number {
    for (const [index, container] of this.#open.entries()) {
      const indent = indentAt(line, cursor);
      const start = cursor.index + spacesAt(line, cursor.index);
      if (container.indent === null) {
        if (indent >= 4 || line.charCodeAt(start) !== QUOTE) return index;
        advance(line, cursor, indent);
        skipMark(cursor, 1);
        if (indentAt(line, cursor) > 0) advance(line, cursor, 1);
      } else if (start === line.length) {
        if (container.isEmpty) return index;
        cursor.index = start;
      } else if (indent >= container.indent) {
        advance(line, cursor, container.indent);
        container.isEmpty = false;
      } else return index;
    }
    return this.#open.length;
  }

  #addToFence(line: string, cursor: Cursor): void {
    const indent = indentAt(line, cursor);
    const start = cursor.index + spacesAt(line, cursor.index);
    const [mark = ''] = this.#fence;
    const closing = line.slice(start).trimEnd();
    const closes =
      indent < 4 && closing.length >= this.#fence.length && closing === mark.repeat(closing.length);
    if (closes) this.#leaf = 'none';
    this.#lines.push({ text: closes ? '' : line.slice(cursor.index).trim(), isText: false });
  }

  /** Begins a block with its first line. */
  #begin(containers: Container[], leaf: Leaf, text: string, isText = false): void {
    this.#endParagraph();
    this.#open = containers;
    this.#leaf = leaf;
    this.#lines.push({ text, isText });
  }

  /** Finds tables, and code that spans several lines, which requires the whole paragraph. */
  #endParagraph(): void {
    if (this.#leaf !== 'paragraph') return;
    const lines = this.#lines.slice(this.#paragraph);
    this.#leaf = 'none';
    const isTable = lines.some(({ text }) => text.includes('-') && DELIMITER_ROW.test(text));
    if (isTable) for (const line of lines) if (line.text.includes('|')) line.isText = false;
    if (lines.length > 1 && lines.some(({ text }) => text.includes('`'))) markCode(lines);
  }
}

/** Marks lines that begin inside code between backticks (CommonMark 0.31, 6.1) as not text. */
function markCode(lines: readonly { text: string; isText: boolean }[]): void {
  const text = lines.map((line) => line.text).join('\n');
  const runs = Array.from(text.matchAll(BACKTICKS), ({ 0: run, index }) => ({ length: run.length, index }));
  /** The next run of backticks, by length. The loop visits the last run first. */
  const nextOf = new Map<number, number>();
  const closing = runs.map(() => -1);
  for (let index = runs.length - 1; index >= 0; index--) {
    const { length = 0 } = runs[index] ?? {};
    closing[index] = nextOf.get(length) ?? -1;
    nextOf.set(length, index);
  }
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.text.length + 1;
  }
  let line = 0;
  for (let run = 0; run < runs.length; run++) {
    const end = closing[run] ?? -1;
    if (end < 0) continue;
    const [from, to] = [runs[run]?.index ?? 0, runs[end]?.index ?? 0];
    for (; line < lines.length && (starts[line] ?? 0) <= to; line++) {
      const shown = lines[line];
      if (shown !== undefined && (starts[line] ?? 0) > from) shown.isText = false;
    }
    run = end;
  }
}

const isQuoted = (containers: readonly Container[]): boolean =>
  containers.some(({ indent }) => indent === null);

const levelsOf = (containers: readonly Container[]): number =>
  containers.reduce((sum, { indent }) => sum + (indent === null ? 1 : 2), 0);

function matchAt(pattern: RegExp, line: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(line);
}

function beginsBlock(line: string, { index }: Cursor): boolean {
  const start = index + spacesAt(line, index);
  return (
    line.charCodeAt(start) === QUOTE || [HEADING, RULE, FENCE, ITEM].some((one) => matchAt(one, line, start))
  );
}

function spacesAt(line: string, index: number): number {
  let end = index;
  while (line.charCodeAt(end) === SPACE || line.charCodeAt(end) === TAB) end += 1;
  return end - index;
}

function indentAt(line: string, { index: start, column, taken }: Cursor): number {
  let width = -taken;
  for (let index = start, end = column - taken; ; index++) {
    const unit = line.charCodeAt(index);
    if (unit !== SPACE && unit !== TAB) return Math.max(width, 0);
    const step = unit === TAB ? 4 - (end % 4) : 1;
    end += step;
    width += step;
  }
}

/** Moves a cursor by columns of blanks, which may be a part of a tab. */
function advance(line: string, cursor: Cursor, columns: number): void {
  let left = columns + cursor.taken;
  cursor.column -= cursor.taken;
  cursor.taken = 0;
  while (left > 0) {
    const step = line.charCodeAt(cursor.index) === TAB ? 4 - (cursor.column % 4) : 1;
    if (step > left) {
      cursor.column += left;
      cursor.taken = left;
      return;
    }
    cursor.index += 1;
    cursor.column += step;
    left -= step;
  }
}

function skipMark(cursor: Cursor, length: number): void {
  cursor.index += length;
  cursor.column += length;
}
