/** Marks of lists, headings and emphasis, which may precede a label in its line. */
const MARKS = String.raw`^[\s#*_+•-]*(?:\d{1,3}[.)]\s*[*_]*)?`;
const LINE_BREAK = /\r\n|[\r\n\u0085\u2028\u2029]/;
/** Longer lines are read up to here. */
const MAX_LINE_CHARACTERS = 1000;
/** The line that begins or ends a block of code (CommonMark 0.31, 4.5). */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/**
 * @param labels regular expressions without flags
 * @returns matches a line that begins with one of the labels, in any case, and a colon, with a bracket
 *   between them if it is there
 */
export function labelPattern(...labels: readonly string[]): RegExp {
  // No two parts beside each other match a blank: a line of blanks would take time by their square.
  return new RegExp(
    String.raw`${MARKS}(?:${labels.join('|')})\b(?:\s*[([][^)\]]*[)\]])?[\s*_]*[:：][\s*_]*`,
    'i',
  );
}

/** @yields what follows the label in each line that begins with it, outside of quotations and code */
export function* labelledLines(message: string, label: RegExp): Generator<string, void> {
  let fence: string | undefined;
  for (const line of message.split(LINE_BREAK)) {
    const text = line.slice(0, MAX_LINE_CHARACTERS);
    const [, mark, rest = ''] = FENCE.exec(text) ?? [];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark?.startsWith(fence ?? ' ') === true && rest.trim() === '') fence = undefined;
    if (fence !== undefined) continue;
    const found = label.exec(text)?.[0];
    if (found !== undefined) yield text.slice(found.length);
  }
}
