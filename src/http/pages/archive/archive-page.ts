import * as z from 'zod';
import { html } from '#http/html/html.ts';
import type { Page, PageContext } from '#http/pages/parts/page.ts';
import { plural } from '#http/pages/parts/plural.ts';
import { sumCounts } from '#workspace/calendar.ts';
import { dayAfter } from '#workspace/text/day.ts';
import { WorkspaceError } from '#workspace/errors.ts';

const YEAR = /^\d{4}$/;

/** Each is a read. A store that was filled under wrong clocks may have messages of thousands of years. */
const MAX_YEARS = 100;

/** The days of a year with their numbers of messages. */
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
          'There is no message of this year; the archive lists the years that there are.',
        );
      return {
        title: asked === undefined ? 'Archive' : `Archive ${asked}`,
        description: 'Every day with messages.',
        canonical: asked === undefined ? '/archive' : `/archive?year=${asked}`,
        isListed: true,
        body: () => html`<p>${days.length === 0 ? 'Nothing has been posted yet.' : 'Every day with messages, the newest first; days are those of UTC.'}</p>
<ul class="days">${days.toReversed().map(({ day, byPrefix }) => html`<li><a href="${href(`/archive/${day}`)}">${day}</a> <span class="quiet">${plural(sumCounts(byPrefix), 'message')}</span></li>\n`)}</ul>
${years.length < 2 ? '' : html`<nav class="pager" aria-label="Years">${years.map((one) => html`<a href="${href(`/archive?year=${one}`)}"${one === year ? html` aria-current="page"` : ''}>${one}</a> `)}</nav>`}`,
        markdown: () =>
          [
            '# Archive',
            ...days
              .toReversed()
              .map(
                ({ day, byPrefix }) =>
                  `- ${day}: ${plural(sumCounts(byPrefix), 'message')}: ${href(`/archive/${day}.md`)}`,
              ),
          ].join('\n') + '\n',
      };
    },
  };
}
