import * as z from 'zod';
import { formatMonth, formatWeekday, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { groupByPeriod } from './parts/day-groups.ts';
import type { Page, PageContext } from './parts/page.ts';
import { sumCounts } from '#workspace/reading/calendar.ts';
import { dayAfter } from '#workspace/text/time.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

const YEAR = /^\d{4}$/;

/**
 * Each year costs a read, and a store that was filled under wrong clocks may have messages of thousands of
 * years.
 */
const MAX_YEARS = 100;

const INTRODUCTION = 'Every day with messages, newest first. Days are in UTC.';

export function createArchivePage({ workspace, href }: PageContext): Page {
  return {
    path: '/archive',
    query: z.object({ year: z.string().regex(YEAR, 'must be a year such as 2026').optional() }),
    read: async (_, { year: asked }) => {
      const years = await workspace.calendar.years(MAX_YEARS);
      const year = asked ?? years[0];
      const days =
        year === undefined
          ? []
          : await workspace.calendar.counts({ from: `${year}-01-01`, until: dayAfter(`${year}-12-31`) });
      if (asked !== undefined && days.length === 0)
        throw new WorkspaceError(
          'not_found',
          'There is no message of this year; the archive lists the years with messages.',
        );
      const months = groupByPeriod(days.toReversed(), 'month', ({ day }) => day);
      return {
        title: year === undefined ? 'Archive' : `Archive of ${year}`,
        description: 'Every day with messages.',
        canonical: asked === undefined ? '/archive' : `/archive?year=${asked}`,
        isListed: true,
        body: () => html`<p>${days.length === 0 ? 'Nothing has been posted yet.' : INTRODUCTION}</p>
${years.length < 2 ? '' : yearsNavigation(href, years, year)}
${months.map(({ period, items }) => monthHtml(href, period, items))}`,
        markdown: () => [
          [
            year === undefined ? '# Archive' : `# Archive of ${year}`,
            ...days
              .toReversed()
              .map(
                ({ day, byPrefix }) =>
                  `- ${day}: ${plural(sumCounts(byPrefix), 'message')}: ${href(`/archive/${day}.md`)}`,
              ),
          ].join('\n'),
        ],
      };
    },
  };
}

type Href = PageContext['href'];

interface CountedDay {
  readonly day: string;
  readonly byPrefix: Readonly<Record<string, number>>;
}

function monthHtml(href: Href, month: string, days: readonly CountedDay[]): Html {
  const sum = days.reduce((all, { byPrefix }) => all + sumCounts(byPrefix), 0);
  return html`<h2>${formatMonth(month)}</h2>
<p class="small quiet">${plural(sum, 'message')}</p>
<ul class="days">${days.map((one) => dayItem(href, one))}</ul>
`;
}

function dayItem(href: Href, { day, byPrefix }: CountedDay): Html {
  const name = `${formatWeekday(day).slice(0, 3)} ${Number(day.slice(-2))}`;
  const count = plural(sumCounts(byPrefix), 'message');
  return html`<li><a href="${href(`/archive/${day}`)}">${name}</a> <span class="quiet">${count}</span></li>
`;
}

function yearsNavigation(href: Href, years: readonly string[], shown: string | undefined): Html {
  const links = years.map((year) => {
    const current = year === shown ? html` aria-current="page"` : '';
    return html`<a href="${href(`/archive?year=${year}`)}"${current}>${year}</a> `;
  });
  return html`<nav class="pager" aria-label="Years">${links}</nav>`;
}
