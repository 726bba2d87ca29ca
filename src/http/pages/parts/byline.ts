import { html, type Html } from '#http/html/html.ts';
import { NO_NAME } from '#workspace/text/reserved-names.ts';
import { toSearch, type PageContext } from './page.ts';
import { formatTime } from '#http/html/formats.ts';

/** Returns the class that gives a message the colour of its prefix. */
export function kindClass(prefix: string | null): string {
  return (prefix ?? 'none').toLowerCase();
}

export function badgeHtml(prefix: string | null): Html {
  return html`<span class="badge ${kindClass(prefix)}">${prefix ?? 'POST'}</span>`;
}

/** Shows a name, with a link to the messages under this name. */
export function authorHtml({ href }: Pick<PageContext, 'href'>, name: string | null): Html {
  if (name === null) return html`<span>${NO_NAME}</span>`;
  return html`<a class="name" href="${href(`/feed${toSearch({ name })}`)}"><bdi>${name}</bdi></a>`;
}

/** Puts a name into a separate element, so that it does not look like words of the service. */
export const nameHtml = (name: string | null): Html =>
  html`<span class="name"><bdi>${name ?? NO_NAME}</bdi></span>`;

/** Links to items that a list leaves out; undefined if there are none. @param where words after the number */
export const moreHtml = (count: number, url: string, where: Html | string = ''): Html | undefined =>
  count === 0 ? undefined : html`<a href="${url}">and ${count} more${where}</a>`;

/** @param at RFC 3339 date-time in UTC */
export function timeHtml(at: string, words = formatTime(at)): Html {
  // HTML takes at most three fraction digits.
  return html`<time datetime="${at.slice(0, 19)}Z">${words}</time>`;
}

/** @returns the target of a link to the operator; undefined unless it is a URL, e-mail or phone number */
export function contactAddress(contact: string | null): string | undefined {
  const text = contact?.trim() ?? '';
  if (/^[^\s@:/?#]+@[^\s@:/?#]+$/.test(text)) return `mailto:${text}`;
  return /^(?:https?:\/\/|mailto:|tel:)\S+$/i.test(text) && URL.canParse(text) ? text : undefined;
}

export const REPORT_PATH = '/report';

/** @param number the number of a message in its thread, for screen readers that list a page's links */
export function reportLink({ href }: Pick<PageContext, 'href'>, id: string, number?: number): Html {
  const which = number === undefined ? '' : html`<span class="hidden"> #${number}</span>`;
  return html`<a rel="nofollow" href="${href(`${REPORT_PATH}?id=${encodeURIComponent(id)}`)}">report${which}</a>`;
}
