/** Marks of lists, quotes, headings and emphasis, which may precede a label in its line. */
const MARKS = String.raw`^[\s>#*_+•-]*(?:\d{1,3}[.)]\s*[*_]*)?`;
const LINE_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/;
/** Longer lines are read up to here. */
const MAX_LINE_CHARACTERS = 1000;

/**
 * @param labels regular expressions without flags
 * @returns matches a line that begins with one of the labels, in any case, with a bracket and a colon after
 *   it if they
 *   are there
 */
export function labelPattern(...labels: readonly string[]): RegExp {
  return new RegExp(String.raw`${MARKS}(?:${labels.join('|')})\b\s*(?:[([][^)\]]*[)\]])?[\s:*_]*`, 'i');
}

/** @yields what follows the label in each line that begins with it */
export function* labelledLines(message: string, label: RegExp): Generator<string, void> {
  for (const line of message.split(LINE_BREAK)) {
    const text = line.slice(0, MAX_LINE_CHARACTERS);
    const found = label.exec(text)?.[0];
    if (found !== undefined) yield text.slice(found.length);
  }
}
