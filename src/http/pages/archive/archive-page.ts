import { z } from 'zod';
import { html } from '#http/html.ts';
import type { Page, PageContext } from '#http/pages/page.ts';
import { plural } from '#http/pages/parts/plural.ts';
import { totalOf } from '#workspace/calendar.ts';
import { WorkspaceError } from '#workspace/errors.ts';

const YEAR = /^\d{4}$/;

/** The days of a year with their numbers of messages. */
export function createArchivePage({ workspace, href }: PageContext): Page {
  return {
    path: '/archive',
    query: z.object({ year: z.string().regex(YEAR, 'must be a year such as 2026').optional() }),
    read: async (_, { year: asked }) => {
      const span = await workspace.calendar.span();
      const [first, last] = [span?.first, span?.last].map((day) => Number(day?.slice(0, 4)));
      const year = asked === undefined ? last : Number(asked);
      if (
        asked !== undefined &&
        !(first !== undefined && last !== undefined && Number(asked) >= first && Number(asked) <= last)
      )
        throw new WorkspaceError(
          'not_found',
          'There is no message of this year; the archive lists the years that there are.',
        );
      const from = `${String(year).padStart(4, '0')}-01-01`;
      const until = `${String(year).padStart(4, '0')}-12-32`;
      const days = span === null ? [] : (await workspace.calendar.counts({ from, until })).toReversed();
      const years =
        span === null || first === undefined || last === undefined
          ? []
          : Array.from({ length: last - first + 1 }, (_one, index) => last - index);
      return {
        title: asked === undefined ? 'Archive' : `Archive ${asked}`,
        description: 'Every day with messages.',
        canonical: asked === undefined ? '/archive' : `/archive?year=${asked}`,
        isListed: true,
        body: () => html`<p>${days.length === 0 ? 'Nothing has been posted yet.' : 'Every day with messages, the newest first; days are those of UTC.'}</p>
<ul class="days">${days.map(({ day, byPrefix }) => html`<li><a href="${href(`/archive/${day}`)}">${day}</a> <span class="quiet">${plural(totalOf(byPrefix), 'message')}</span></li>\n`)}</ul>
${years.length < 2 ? '' : html`<nav class="pager" aria-label="Years">${years.map((one) => html`<a href="${href(`/archive?year=${String(one).padStart(4, '0')}`)}"${one === year ? html` aria-current="page"` : ''}>${one}</a> `)}</nav>`}`,
        markdown: () =>
          [
            '# Archive',
            ...days.map(
              ({ day, byPrefix }) => `- ${day}: ${plural(totalOf(byPrefix), 'message')}: /archive/${day}.md`,
            ),
          ].join('\n') + '\n',
      };
    },
  };
}
