import { codePointLength } from './text-rules.ts';

/** In code points. */
export const MAX_EXCERPT_LENGTH = 280;

/** @returns the text, cut to `MAX_EXCERPT_LENGTH` with an ellipsis at its end if it is longer */
export function excerptOf(text: string): string {
  if (codePointLength(text) <= MAX_EXCERPT_LENGTH) return text;
  return `${Array.from(text)
    .slice(0, MAX_EXCERPT_LENGTH - 1)
    .join('')}…`;
}
