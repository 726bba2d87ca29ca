import { formatDate, formatDay, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { sumCounts } from '#workspace/reading/calendar.ts';
import { dayAfter, dayAt, DAY_MS } from '#workspace/text/time.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import type { PageContext } from './page.ts';

/**
 * Groups the items of a list that is ordered by time.
 * @param toTime returns a day or an RFC 3339 date-time in UTC; an empty text for the group without a time
 * @returns groups with the period `2026-03-02` (for a week its Monday) or `2026-03`
 */
export function groupByPeriod<Item>(
  items: readonly Item[],
  period: 'day' | 'week' | 'month',
  toTime: (item: Item) => string,
) {
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

/** Shows the day in words, such as `today`, with a link to its messages. */
export function dayLinkHtml({ workspace, href }: PageContext, day: string): Html {
  const now = workspace.now();
  const names = new Map([
    [dayAt(now), 'Today, '],
    [dayAt(now - DAY_MS), 'Yesterday, '],
  ]);
  return html`<a href="${href(`/archive/${day}`)}">${names.get(day) ?? ''}${formatDay(day)}</a> (UTC)`;
}

/** The time at which `dayLinkHtml` changes, in milliseconds since 1970. */
export function nextMidnight(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS;
}

const DAYS = 30;
/** In the units of the picture, which is as wide as the page. */
const [STEP, WIDTH, HEIGHT] = [12, 9, 60];

/** The posts of one day, and how many of its RESULTs are confirmed now. */
export interface MonthDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly messages: number;
  readonly ideas: number;
  readonly confirmed: number;
}

/** Returns the last 30 days. All pages count this range, so they share the cached counts. */
export const monthBefore = (now: number) => ({
  from: dayAt(now - (DAYS - 1) * DAY_MS),
  until: dayAfter(dayAt(now)),
});

/** Counts the messages of the last 30 days. @returns the days, oldest first */
export async function countMonth({ calendar, now }: HttpWorkspace): Promise<Omit<MonthDay, 'confirmed'>[]> {
  const days = Array.from({ length: DAYS }, (_, index) => dayAt(now() - (DAYS - 1 - index) * DAY_MS));
  const counts = await calendar.counts(monthBefore(now()));
  const byDay = new Map(counts.map(({ day, byPrefix }) => [day, byPrefix]));
  return days.map((day) => {
    const byPrefix = byDay.get(day) ?? {};
    return { day, messages: sumCounts(byPrefix), ideas: byPrefix['IDEA'] ?? 0 };
  });
}

function inWords(month: readonly MonthDay[]): Record<'start' | 'posted' | 'confirmed', string> {
  const sum = (field: 'messages' | 'ideas' | 'confirmed'): number =>
    month.reduce((total, day) => total + day[field], 0);
  return {
    start: formatDate(month[0]?.day ?? '', month.at(-1)?.day),
    posted: `${plural(sum('messages'), 'message')}, ${plural(sum('ideas'), 'idea')}`,
    confirmed: `${plural(sum('confirmed'), 'result')} confirmed`,
  };
}

export function describeMonth(month: readonly MonthDay[]): string {
  const { start, posted, confirmed } = inWords(month);
  return `Since ${start}: ${posted}, ${confirmed}.`;
}

/** Draws a bar for each day. Its lower part shows the RESULTs that are confirmed now. */
export function monthHtml(month: readonly MonthDay[]): Html {
  const { start, posted, ...words } = inWords(month);
  const most = Math.max(...month.map(({ messages }) => messages), 1);
  const barHtml = (kind: string, index: number, count: number): Html => {
    const height = Math.round((count / most) * HEIGHT);
    return html`<rect class="${kind}" x="${index * STEP}" y="${HEIGHT - height}" width="${WIDTH}" height="${height}"/>`;
  };
  const bars = month.flatMap(({ messages, confirmed }, index) =>
    messages === 0 ? [] : [barHtml('all', index, messages), barHtml('ok', index, confirmed)],
  );
  const label = `Messages per day since ${start}; the green part shows the confirmed results of each day`;
  return html`<svg class="bars" viewBox="0 0 ${DAYS * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${bars}</svg>
<p class="axis"><span>${start}</span> <span>${posted}, <b>${words.confirmed}</b></span> <span>today: ${month.at(-1)?.messages ?? 0}</span></p>`;
}
