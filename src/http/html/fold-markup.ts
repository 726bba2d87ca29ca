/** In characters: the longest text shown in full, and the usual and the minimum beginning of longer ones. */
const MAX_WHOLE = 900;
const SHOWN = 570;
const MIN_SHOWN = 300;
/** A shorter end of a text is not worth a click. */
const MIN_REST = 200;

/** A tag of `renderMessage`, which escapes `>` in texts and attributes, or a text. */
const PART = /<(\/?)(\w+)\b[^>]*>|[^<]+/g;

/**
 * Where a text may be cut: after a sentence, a word, or a part of a word without blanks; in code after a
 * line. An id that `markRecords` has marked stays whole.
 */
const TEXT_END = /[.!?…]\s|[。！？]|\s|(?:&#?\w+;|\uffff[^\uffff]*\uffff|[^\s&。！？\uffff]){64}/gu;

/** The cost of a cut, in characters. It is added to the distance from `SHOWN`; the lowest sum wins. */
const BETWEEN_BLOCKS = 0;
const AFTER_LINE = 100;
/** After a line, if the next one begins with a label. */
const BEFORE_LABEL = 0;
const AFTER_SENTENCE = 150;
const AFTER_HEADING = 300;
const AFTER_WORD = 300;
const IN_WORD = 400;

interface OpenElement {
  readonly name: string;
  readonly tag: string;
}

interface Cut {
  readonly at: number;
  /** The elements around it, outermost first. */
  readonly open: readonly OpenElement[];
  readonly length: number;
  readonly cost: number;
}

export type FoldedMarkup = NonNullable<ReturnType<typeof foldMarkup>>;

/**
 * Cuts the markup of a long text into two valid parts: a paragraph, a list or a block of code that is
 * cut is closed and opened again. Tables and quotations stay whole. The first part never ends with a label.
 * The time it takes depends on the length alone.
 * @param markup of `renderMessage`
 * @returns undefined for a text that is shown whole
 */
export function foldMarkup(markup: string) {
  if (markup.length <= MAX_WHOLE) return undefined;
  const { best, length } = findCut(markup);
  if (best === undefined || length <= MAX_WHOLE || length - best.length < MIN_REST) return undefined;
  const closing = best.open.toReversed().map(({ name }) => `</${name}>`);
  // Browsers drop a line feed directly after `<pre>`.
  const opening = best.open.map(({ name, tag }) => (name === 'pre' ? `${tag}\n` : tag));
  return {
    shown: markup.slice(0, best.at) + closing.join(''),
    rest: opening.join('') + markup.slice(best.at),
    /** The number of characters that are left. */
    restLength: length - best.length,
  };
}

function findCut(markup: string): { best: Cut | undefined; length: number } {
  const open: OpenElement[] = [];
  let best: Cut | undefined;
  let length = 0;
  // The text of a label would be in the hidden part.
  let isLabel = false;
  const offer = (at: number, counted: number, extra: number): void => {
    const cost = Math.abs(counted - SHOWN) + extra;
    if (isLabel || counted < MIN_SHOWN || (best !== undefined && cost >= best.cost)) return;
    // Beyond this length only the end of a long table or quotation is a place for a cut.
    if (counted > MAX_WHOLE && extra > BETWEEN_BLOCKS) return;
    best = { at, open: [...open], length: counted, cost };
  };
  for (const { 0: part, 1: slash, 2: name, index } of markup.matchAll(PART)) {
    const end = index + part.length;
    if (name === undefined) {
      const pattern = endPattern(open);
      let from = 0;
      for (const { 0: mark, index: at } of pattern === undefined ? [] : part.matchAll(pattern)) {
        const after = at + mark.length;
        isLabel = endsWithLabel(part.slice(from, after), isLabel);
        from = after;
        const isBeforeLabel = mark === '\n' && markup.startsWith('<strong>', index + after);
        offer(index + after, length + after, isBeforeLabel ? BEFORE_LABEL : costAfter(mark));
      }
      isLabel = endsWithLabel(part.slice(from), isLabel);
      length += part.length;
    } else if (slash === '/') {
      const isItem = open.length === 2 && name === 'li';
      const closed = open.pop();
      if (open.length === 0)
        offer(end, length, closed?.tag.startsWith('<p class') === true ? AFTER_HEADING : BETWEEN_BLOCKS);
      else if (isItem) offer(end, length, AFTER_LINE);
    } else if (name !== 'br' && name !== 'hr') open.push({ name, tag: part });
  }
  return { best, length };
}

/** @param before whether the text before this one ends with a label */
function endsWithLabel(text: string, before: boolean): boolean {
  const end = text.trimEnd().at(-1);
  return end === undefined ? before : end === ':' || end === '：';
}

/** @returns where a text inside these elements may be cut; undefined if nowhere */
function endPattern(open: readonly OpenElement[]): RegExp | undefined {
  const [outermost] = open;
  if (outermost?.name === 'pre') return /\n/g;
  return outermost?.name === 'p' && open.length === 1 ? TEXT_END : undefined;
}

function costAfter(mark: string): number {
  if (mark === '\n') return AFTER_LINE;
  if (mark.length > 2) return IN_WORD;
  return mark.trim() === '' ? AFTER_WORD : AFTER_SENTENCE;
}
