import { html, type Html } from '#http/html/html.ts';

/** A time to the minute, in an element with the exact time. @param at RFC 3339 date-time in UTC */
export function timeHtml(at: string): Html {
  return html`<time datetime="${at}" title="${at}">${formatMinute(at)}</time>`;
}

/** Formats an RFC 3339 date-time in UTC as `2026-03-02 15:30`. */
export function formatMinute(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

/** Formats an RFC 3339 date-time in UTC as `2026-03-02`. */
export function formatDay(at: string): string {
  return at.slice(0, 10);
}
