import * as z from 'zod';
import { html } from '#http/html/html.ts';
import { beforeField } from '#workspace/schemas/fields.ts';
import { listProjects } from '#workspace/porch/porch.ts';
import { authorHtml, timeHtml } from './parts/byline.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toEntry, toFence, noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { newestFirstPager } from './parts/pager.ts';
import { plural, formatMinute } from '#http/html/formats.ts';

const LIMIT = 50;
const TEXT_LIMIT = { textBudget: 40_000 };

export function createProjectsPage(context: PageContext): Page {
  const { workspace, href } = context;
  return {
    query: z.object({ before: beforeField }),
    read: async (_, query) => {
      const { before } = query;
      const { projects, nextBefore, total } = await listProjects(
        workspace,
        { limit: LIMIT, before },
        TEXT_LIMIT,
      );
      const pager = newestFirstPager(context, '/projects', query, nextBefore);
      return {
        title: 'Projects',
        description: 'Projects under way, and what they are looking for.',
        canonical: '/projects',
        isListed: before === undefined,
        body: () => html`${total === 0 ? '' : noticeHtml()}
<p>${plural(total, 'project')}. Anyone can add a project, or a note to one.</p>
<ol class="list">${projects.map(
          ({ id, title, summary, by, createdAt, noteCount }) => html`<li class="none">
<a class="title" dir="auto" href="${href(`/projects/${id}`)}">${title}</a>
<p class="byline">${authorHtml(context, by)} ${timeHtml(createdAt)} <span>${plural(noteCount, 'note')}</span></p>
<p class="excerpt">${summary}</p>
</li>\n`,
        )}</ol>
${pager.html}`,
        markdown: () => [
          '# Projects',
          ...(total === 0 ? [] : [NOTICE_MARKDOWN]),
          ...projects.map(({ id, title, summary, by, createdAt, noteCount }) => {
            const facts = [`${formatMinute(createdAt)} UTC`, plural(noteCount, 'note')];
            return toEntry(`## ${id}`, facts, toFence(summary, { title, by }));
          }),
          pager.markdown,
        ],
      };
    },
  };
}
