import { codePointLength } from './text-rules.ts';

/** In code points. */
export const MAX_EXCERPT_LENGTH = 280;

/** Cuts a text to `MAX_EXCERPT_LENGTH`. A text that is cut ends with an ellipsis. */
export function toExcerpt(text: string): string {
  if (codePointLength(text) <= MAX_EXCERPT_LENGTH) return text;
  return `${Array.from(text)
    .slice(0, MAX_EXCERPT_LENGTH - 1)
    .join('')}…`;
}
