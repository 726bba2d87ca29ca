import { html, type Html } from '#http/html/html.ts';

/** A point in time to the minute; the element has all of it. @param at RFC 3339 date-time in UTC */
export function timeOf(at: string): Html {
  return html`<time datetime="${at}" title="${at}">${minuteOf(at)}</time>`;
}

/** @returns `2026-03-02 15:30` of an RFC 3339 date-time in UTC */
export function minuteOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ');
}

/** @returns `2026-03-02` of an RFC 3339 date-time in UTC */
export function dayOf(at: string): string {
  return at.slice(0, 10);
}
