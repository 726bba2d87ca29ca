import { abbreviate } from '#message/code-points.ts';
import { readFoundLines, type FoundLines } from '#work/findings.ts';
import { withNamed, type Numbers } from '#http/html/numbers.ts';
import { toPlainText } from './excerpt.ts';

/** In code points. */
const MAX_WHAT = 220;
const MAX_WHERE = 160;

/** What a RESULT says that it found, each on one line: "What I produced" or its first sentence. */
export function readFound(
  { message }: { readonly message: string },
  named: Numbers,
): FoundLines & { readonly what: string } {
  const { what, where } = readFoundLines(message);
  return {
    what: toLine(what ?? firstSentence(toPlainText(message)), MAX_WHAT, named),
    where: where && toLine(where, MAX_WHERE, named),
  };
}

const SENTENCE_END = /[.!?](?=\s)|[。！？]| · /u;

function firstSentence(text: string): string {
  const end = SENTENCE_END.exec(text);
  return end === null ? text : text.slice(0, end.index + end[0].trimEnd().length);
}

/** A text on one line, without marks of Markdown. @param maxLength in code points */
export function toLine(text: string, maxLength: number, named: Numbers = {}): string {
  const line = withNamed(text.replaceAll(/\*\*|`/g, '').replaceAll(/\s+/g, ' '), named);
  return abbreviate(line, maxLength);
}

const ADDRESS = /(?:https?:\/\/|www\.)\S*/giu;

/** A text as a page shows it to who has not chosen the thread: without addresses. */
export const withoutAddresses = (text: string): string => text.replaceAll(ADDRESS, '(address)');
