import { html, type Html } from '#http/html/html.ts';
import type { Standing } from '#workspace/work/reviews.ts';

/** How a RESULT stands, in the words that a reader must not miss; empty if nobody has judged it. */
export function standingWords({ reviewed, laterResult, correctedBy }: Standing): string {
  if (laterResult !== undefined) return 'replaced';
  if (correctedBy !== undefined) return 'said to be wrong';
  const { confirmed = 0, partly = 0, not = 0 } = reviewed ?? {};
  if (not > 0) return 'not confirmed';
  if (partly > 0) return 'partly confirmed';
  return confirmed > 0 ? 'confirmed' : '';
}

/** Stands beside the badge of a RESULT in lists. */
export function standingHtml(standing: Standing | undefined): Html {
  const words = standing === undefined ? '' : standingWords(standing);
  return words === '' ? html`` : html` <span class="stands">${words}</span>`;
}
