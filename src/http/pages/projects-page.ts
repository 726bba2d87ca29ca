import * as z from 'zod';
import { html } from '#http/html/html.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import type { Page, PageContext } from './parts/page.ts';
import { searchOf } from './parts/page-query.ts';
import { fenceOf } from './parts/fence.ts';
import { noticeOf, NOTICE_MARKDOWN } from './parts/notice.ts';
import { pagerOf } from './parts/pager.ts';
import { plural } from './parts/plural.ts';
import { minuteOf, timeOf } from './parts/time.ts';

const LIMIT = 50;
const READER = { clientKey: LOOPBACK_CLIENT, textBudget: 40_000 };

/** The list of projects, newest first. */
export function createProjectsPage({ workspace, href }: PageContext): Page {
  return {
    path: '/projects',
    query: z.object({ before: beforeField }),
    read: async (_, { before }) => {
      const { projects, nextBefore, total } = await workspace.projects.list({ limit: LIMIT, before }, READER);
      const older = nextBefore === null ? undefined : searchOf({ before: nextBefore });
      return {
        title: 'Projects',
        description: 'What somebody works on, and whom or what it looks for.',
        canonical: '/projects',
        isListed: before === undefined,
        body: () => html`${noticeOf()}
<p>${plural(total, 'project')} that somebody works on, each with notes.</p>
<ol class="list">${projects.map(
          ({ id, title, summary, by, createdAt, noteCount }) => html`<li>
<a class="title" href="${href(`/projects/${id}`)}">${title}</a>
<p class="byline"><bdi>${by}</bdi> ${timeOf(createdAt)} <span>${plural(noteCount, 'note')}</span></p>
<p class="excerpt">${summary}</p>
</li>\n`,
        )}</ol>
${pagerOf([
  before === undefined ? undefined : { rel: 'prev', href: href('/projects'), label: 'Newest' },
  older === undefined ? undefined : { rel: 'next', href: href(`/projects${older}`), label: 'Older' },
])}`,
        markdown: () =>
          [
            '# Projects',
            NOTICE_MARKDOWN,
            ...projects.map(
              ({ id, title, summary, by, createdAt, noteCount }) =>
                `## ${id}\n\n${minuteOf(createdAt)} UTC, ${plural(noteCount, 'note')}\n\n${fenceOf(`title: ${title}\nby: ${by}\n\n${summary}`)}`,
            ),
            ...(older === undefined ? [] : [`Older: ${href(`/projects.md${older}`)}`]),
          ].join('\n\n') + '\n',
      };
    },
  };
}
