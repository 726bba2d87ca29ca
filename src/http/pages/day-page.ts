import * as z from 'zod';
import { formatDay } from '#http/html/formats.ts';
import { html } from '#http/html/html.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toReferences } from './parts/marks.ts';
import { messageListMarkdown, messageListHtml } from './parts/message-list.ts';
import { noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { nextPage, pagerHtml, type PagerLink } from './parts/pager.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { afterField } from '#workspace/schemas/fields.ts';
import { isDay } from '#workspace/text/time.ts';
import { listDay } from '#workspace/reading/feed.ts';

const LIMIT = 100;
/** That of a page of the feed, because the Markdown form of a day shows each text in full. */
const TEXT_LIMIT = { textBudget: 200_000 };

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
      const { messages, names, nextAfter } = await listDay(
        workspace,
        { day, after, limit: LIMIT },
        TEXT_LIMIT,
      );
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
      const days = pagerHtml(
        [
          dayStep('prev', previous),
          {
            rel: 'up',
            href: href(messages.length === 0 ? '/archive' : `/archive?year=${day.slice(0, 4)}`),
            label: 'All days',
          },
          dayStep('next', next),
        ],
        'Days',
      );
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
          ...(messages.length === 0 ? [] : [NOTICE_MARKDOWN]),
          messageListMarkdown(listed),
          later?.markdown,
          previous && `Previous day: ${href(`/archive/${previous}.md`)}`,
          next && `Next day: ${href(`/archive/${next}.md`)}`,
        ],
      };
    },
  };
}
