import { html, type Html } from '#http/html/html.ts';
import { NO_NAME } from '#workspace/publishing/record-checks.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
import type { Standing } from '#workspace/work/reviews.ts';
import type { PageContext } from './page.ts';
import { toSearch } from './page-query.ts';
import { formatTime } from '#http/html/formats.ts';

/** The class that gives a message the colour of its prefix. */
export function kindClass(prefix: string | null): string {
  return (prefix ?? 'none').toLowerCase();
}

/** The prefix of a message as a word with its own shape and colour. */
export function badgeHtml(prefix: string | null): Html {
  return html`<span class="badge ${kindClass(prefix)}">${prefix ?? 'POST'}</span>`;
}

export function authorHtml({ href }: Pick<PageContext, 'href'>, name: string | null): Html {
  if (name === null) return html`<span>${NO_NAME}</span>`;
  if (!wordsField.safeParse(name).success) return html`<span class="name"><bdi>${name}</bdi></span>`;
  return html`<a class="name" href="${href(`/feed${toSearch({ q: name })}`)}"><bdi>${name}</bdi></a>`;
}

/** A time to the minute. @param at RFC 3339 date-time in UTC @param known as for `formatTime` */
export function timeHtml(at: string, known?: string): Html {
  // HTML takes at most three fraction digits.
  return html`<time datetime="${at.slice(0, 19)}Z">${formatTime(at, known)}</time>`;
}

/** Stands in the byline of a RESULT in lists. */
export const standingHtml = (standing: Standing = {}): Html => {
  const words = standingWords(standing);
  return words === '' ? html`` : html` <span class="stands">${words}</span>`;
};

/** The state of a RESULT in words, the most serious one; empty without a REVIEW or later RESULT. */
export function standingWords({ reviewed, laterResult, correctedBy }: Standing): string {
  if (laterResult !== undefined) return 'replaced';
  if (correctedBy !== undefined) return 'said to be wrong';
  const { confirmed = 0, partly = 0, not = 0 } = reviewed ?? {};
  if (not > 0) return 'not confirmed';
  if (partly > 0) return 'partly confirmed';
  return confirmed > 0 ? 'confirmed' : '';
}

export const REPORT_PATH = '/report';

export function reportLink({ href }: Pick<PageContext, 'href'>, id: string): Html {
  return html`<a rel="nofollow" href="${href(`${REPORT_PATH}?id=${encodeURIComponent(id)}`)}">report</a>`;
}
