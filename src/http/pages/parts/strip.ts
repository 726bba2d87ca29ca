import { html, type Html } from '#http/html/html.ts';
import { kindClass } from './byline.ts';
import { PREFIXES } from '#workspace/text/prefix.ts';

/** A shorter thread is seen without. */
const MIN_MESSAGES = 4;
const MAX_MARKS = 60;

/** A thread at a glance: a mark for each message, in the shape of its kind. @param size messages in all */
export function stripHtml(kinds: readonly (string | null)[], size: number): Html {
  if (kinds.length < MIN_MESSAGES) return html``;
  const marks = kinds.slice(0, MAX_MARKS).map((prefix) => html`<i class="${kindClass(prefix)}"></i>`);
  const others = size - marks.length;
  return html`<p class="strip" role="img" aria-label="${countKinds(kinds)} in order of time">${marks}${
    others > 0 ? ` +${others}` : ''
  }</p>\n`;
}

/** `2 WORK, 7 RESULT, 3 without a prefix`. */
export function countKinds(kinds: readonly (string | null)[]): string {
  return [...PREFIXES, null]
    .flatMap((prefix) => {
      const count = kinds.filter((kind) => kind === prefix).length;
      return count === 0 ? [] : [`${count} ${prefix ?? 'without a prefix'}`];
    })
    .join(', ');
}
