import * as z from 'zod';
import { TINTS } from '#http/documents/style-sheet.ts';
import { formatDay, formatMonth, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { NOTICE_MARKDOWN, noticeHtml } from '#http/html/stranger-text.ts';
import { sumCounts } from '#workspace/reading/calendar.ts';
import { listDay } from '#workspace/reading/feed.ts';
import { afterField } from '#workspace/schemas/fields.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { dayAfter, DAY_MS, isDay } from '#workspace/text/time.ts';
import { groupByPeriod } from './parts/periods.ts';
import { toReferences } from './parts/marks.ts';
import { messageListHtml, messageListMarkdown } from './parts/message-list.ts';
import { TEXT_LIMIT, type Page, type PageContext } from './parts/page.ts';
import { nextPage, pagerHtml, type PagerLink } from './parts/list-page.ts';

const INTRODUCTION =
  'Every day with messages. The more messages it has, the stronger its colour. Months are newest first, and days are in UTC.';

export function createArchivePage({ workspace, href }: PageContext): Page {
  return {
    query: z.object({
      year: z
        .string()
        .regex(/^\d{4}$/, 'must be a year such as 2026')
        .optional(),
    }),
    read: async (_, { year: asked }) => {
      // Each year costs a read, and a store filled under wrong clocks may span thousands of years.
      const years = await workspace.calendar.years(100);
      const year = asked ?? years[0];
      const days =
        year === undefined
          ? []
          : await workspace.calendar.counts({ from: `${year}-01-01`, until: dayAfter(`${year}-12-31`) });
      if (asked !== undefined && days.length === 0)
        throw new WorkspaceError(
          'not_found',
          'There are no messages from this year; the archive lists the years with messages.',
        );
      const most = Math.max(...days.map(({ byPrefix }) => sumCounts(byPrefix)));
      const newestFirst = days.toReversed();
      const months = groupByPeriod(newestFirst, 'month', ({ day }) => day);
      const title = year === undefined ? 'Archive' : `Archive of ${year}`;
      const items = newestFirst.map(
        ({ day, byPrefix }) =>
          `- ${day}: ${plural(sumCounts(byPrefix), 'message')}: ${href(`/archive/${day}.md`)}`,
      );
      return {
        title,
        description: 'Every day with messages.',
        canonical: asked === undefined ? '/archive' : `/archive?year=${asked}`,
        isListed: true,
        body: () => html`<p>${days.length === 0 ? 'Nothing has been posted yet.' : INTRODUCTION}</p>
${years.length < 2 ? '' : yearsNavigation(href, years, year)}
<div class="months">${months.map((month) => monthHtml(href, month.period, month.items, most))}</div>`,
        markdown: () => [[`# ${title}`, ...items].join('\n')],
      };
    },
  };
}

type Href = PageContext['href'];
type DayCount = Awaited<ReturnType<PageContext['workspace']['calendar']['counts']>>[number];

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Shows a month as a calendar with linked and tinted days. @param days the days with messages */
function monthHtml(href: Href, month: string, days: readonly DayCount[], most: number): Html {
  const counts = new Map(days.map(({ day, byPrefix }) => [day, sumCounts(byPrefix)]));
  const sum = [...counts.values()].reduce((all, count) => all + count, 0);
  const weeks = weeksOf(month).map(
    (week) => html`<tr>${week.map((day) => dayCell(href, day, counts.get(day) ?? 0, most))}</tr>\n`,
  );
  const heads = WEEKDAYS.map((name) => html`<th scope="col">${name}</th>`);
  return html`<section><h2>${formatMonth(month)}</h2>
<p class="small quiet">${plural(sum, 'message')}</p>
<table class="month"><thead><tr>${heads}</tr></thead><tbody>
${weeks}</tbody></table></section>
`;
}

/** Returns the weeks of a month, seven days each, with an empty string for a day of another month. */
function weeksOf(month: string): string[][] {
  const first = new Date(`${month}-01T00:00:00Z`);
  const blanks = (first.getUTCDay() + 6) % 7;
  const length = new Date(first).setUTCMonth(first.getUTCMonth() + 1) - first.getTime();
  const days = Math.round(length / DAY_MS);
  return Array.from({ length: Math.ceil((blanks + days) / 7) }, (_, week) =>
    Array.from({ length: 7 }, (__, weekday) => {
      const number = week * 7 + weekday - blanks + 1;
      return number < 1 || number > days ? '' : `${month}-${String(number).padStart(2, '0')}`;
    }),
  );
}

function dayCell(href: Href, day: string, count: number, most: number): Html {
  const number = Number(day.slice(-2));
  if (day === '' || count === 0) return html`<td>${day === '' ? '' : number}</td>`;
  const tint = Math.ceil((TINTS.length * count) / most);
  const messages = plural(count, 'message');
  return html`<td class="t${tint}"><a href="${href(`/archive/${day}`)}" title="${messages}">${number}<span
 class="hidden">: ${messages}</span></a></td>`;
}

function yearsNavigation(href: Href, years: readonly string[], shown: string | undefined): Html {
  const links = years.map((year) => {
    const current = year === shown && html` aria-current="page"`;
    return html`<a href="${href(`/archive?year=${year}`)}"${current}>${year}</a> `;
  });
  return html`<nav class="pager" aria-label="Years">${links}</nav>`;
}

const LIMIT = 100;

export function createDayPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    query: z.object({ after: afterField }),
    read: async ({ day = '' }, { after }) => {
      if (!isDay(day))
        throw new WorkspaceError(
          'not_found',
          'There is no such day in the calendar; a day is written as 2026-01-31.',
        );
      const query = { day, after, limit: LIMIT };
      const { messages, names, nextAfter } = await listDay(workspace, query, TEXT_LIMIT);
      const { previous, next } = await workspace.calendar.neighbours(day);
      const listed = messages.map((message) => ({ ...message, text: message.message }));
      const references = toReferences(context, names);
      const path = `/archive/${day}`;
      const later = nextPage(context, path, { after: nextAfter }, 'Later that day', 'Later');
      const none = html`<p>No message was posted on this day${after && ' after that time'}.</p>`;
      const dayStep = (rel: 'prev' | 'next', other: string | undefined): PagerLink | undefined => {
        if (other === undefined) return undefined;
        const label = rel === 'prev' ? `← ${formatDay(other)}` : `${formatDay(other)} →`;
        return { rel, href: href(`/archive/${other}`), label };
      };
      const all = messages.length === 0 ? '/archive' : `/archive?year=${day.slice(0, 4)}`;
      const up: PagerLink = { rel: 'up', href: href(all), label: 'All days' };
      const days = pagerHtml([dayStep('prev', previous), up, dayStep('next', next)], 'Days');
      return {
        title: `${formatDay(day)} (UTC)`,
        description: `The messages of ${formatDay(day)}, oldest first.`,
        canonical: path,
        isListed: after === undefined && messages.length > 0,
        body: () => html`${days}
${messages.length === 0 ? none : html`${noticeHtml()}\n${messageListHtml(context, listed, { references, day })}`}
${pagerHtml([later?.link])}`,
        markdown: () => [
          `# ${formatDay(day)} (UTC)`,
          messages.length > 0 && NOTICE_MARKDOWN,
          messageListMarkdown(listed),
          later?.markdown,
          previous && `Previous day: ${href(`/archive/${previous}.md`)}`,
          next && `Next day: ${href(`/archive/${next}.md`)}`,
        ],
      };
    },
  };
}
