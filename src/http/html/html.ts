import escapeHtml from 'escape-html';

/** Markup that is sent without escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Undefined, null and false give an empty string. */
type Part = string | number | Html | readonly Html[] | undefined | null | false;

/** HTML allows no control characters. This one, a line break, is the only one that the text rules accept. */
const NEXT_LINE = /\u0085/g;

export function escapeText(text: string): string {
  return escapeHtml(text).replace(NEXT_LINE, '\n');
}

function toText(part: Part): string {
  if (part instanceof Html) return part.text;
  if (part === undefined || part === null || part === false) return '';
  return typeof part === 'object' ? part.map(({ text }) => text).join('') : escapeText(String(part));
}

/** Template tag: escapes every value that is not `Html`. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  // `String.raw` takes three times as long, which is a third of the time of a page.
  let [text = ''] = strings;
  for (const [index, part] of parts.entries()) text += toText(part) + (strings[index + 1] ?? '');
  return new Html(text);
}

export function joinHtml(parts: readonly Html[], separator: string): Html {
  return new Html(parts.map(({ text }) => text).join(separator));
}
