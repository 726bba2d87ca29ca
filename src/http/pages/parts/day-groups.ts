import { formatDay } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { dayAt, DAY_MS } from '#workspace/text/time.ts';
import type { PageContext } from './page.ts';

interface Group<Item> {
  /** `2026-03-02`, of a week its Monday, or `2026-03`. */
  readonly period: string;
  readonly items: readonly Item[];
}

/**
 * Groups the items of a list that is ordered by time.
 * @param toTime returns a day or an RFC 3339 date-time in UTC; an empty text for the group without a time
 */
export function groupByPeriod<Item>(
  items: readonly Item[],
  period: 'day' | 'week' | 'month',
  toTime: (item: Item) => string,
): readonly Group<Item>[] {
  const length = (period === 'month' ? 'YYYY-MM' : 'YYYY-MM-DD').length;
  const groups: { period: string; items: Item[] }[] = [];
  for (const item of items) {
    const time = toTime(item);
    const start = (period === 'week' ? mondayOf(time) : time).slice(0, length);
    const last = groups.at(-1);
    if (last?.period === start) last.items.push(item);
    else groups.push({ period: start, items: [item] });
  }
  return groups;
}

function mondayOf(time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '' : dayAt(at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS);
}

/** The day as a person says it, with a link to all of its messages. */
export function dayLinkHtml({ workspace, href }: PageContext, day: string): Html {
  const now = workspace.now();
  const names = new Map([
    [dayAt(now), 'Today, '],
    [dayAt(now - DAY_MS), 'Yesterday, '],
  ]);
  return html`<a href="${href(`/archive/${day}`)}">${names.get(day) ?? ''}${formatDay(day)}</a> (UTC)`;
}

/** When `dayLinkHtml` changes, in milliseconds since 1970. */
export function nextMidnight(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}
