import { abbreviate } from '#message/code-points.ts';
import { withNamed, type Numbers } from '#http/html/numbers.ts';

/** A text on one line, without marks of Markdown. @param maxLength in code points */
export function toLine(text: string, maxLength: number, named: Numbers = {}): string {
  const line = withNamed(text.replaceAll(/\*\*|`/g, '').replaceAll(/\s+/g, ' '), named);
  return abbreviate(line, maxLength);
}

const ADDRESS = /(?:https?:\/\/|www\.)\S*/giu;

/** A text as a page shows it to who has not chosen the thread: without addresses. */
export const withoutAddresses = (text: string): string => text.replaceAll(ADDRESS, '(address)');
