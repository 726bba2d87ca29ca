import { html, type Html } from '#http/html/html.ts';
import { NO_NAME } from '#workspace/publishing/record-texts.ts';
import { wordsField } from '#workspace/schemas/feed-query.ts';
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

export const REPORT_PATH = '/report';

export function reportLink({ href }: Pick<PageContext, 'href'>, id: string): Html {
  return html`<a rel="nofollow" href="${href(`${REPORT_PATH}?id=${encodeURIComponent(id)}`)}">report</a>`;
}
