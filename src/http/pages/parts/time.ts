import { formatTime } from '#http/html/dates.ts';
import { html, type Html } from '#http/html/html.ts';

/** A time to the minute. @param at RFC 3339 date-time in UTC @param known as for `formatTime` */
export function timeHtml(at: string, known?: string): Html {
  // HTML takes at most three fraction digits.
  return html`<time datetime="${at.slice(0, 19)}Z">${formatTime(at, known)}</time>`;
}

/** Formats an RFC 3339 date-time in UTC as `2026-03-02 15:30`. */
export function formatMinute(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}
