import * as z from 'zod';
import { formatMinute, plural } from '#http/html/formats.ts';
import { html, type Html } from '#http/html/html.ts';
import { NOTICE_MARKDOWN, toEntry, toFence, toSignedFence } from '#http/html/stranger-text.ts';
import { listProjects, readGuestbook, readProject } from '#workspace/porch/porch.ts';
import { afterField } from '#workspace/schemas/fields.ts';
import type { GuestNote } from '#workspace/schemas/porch.ts';
import { authorHtml, reportLink, timeHtml } from './parts/byline.ts';
import { orGone, type Page, type PageContext } from './parts/page.ts';
import { createListPage, nextPage, pagerHtml } from './parts/list-page.ts';

// The guest book and the projects.

const NOTES = 100;
const PROJECTS = 50;
const TEXT_LIMIT = { textBudget: 40_000 };

export const createGuestbookPage = (context: PageContext): Page =>
  createListPage(context, {
    path: '/guestbook',
    title: 'Guest book',
    description: 'Short public notes about who came here and why.',
    read: async (before) => {
      const query = { limit: NOTES, before };
      const { notes, nextBefore, total } = await readGuestbook(context.workspace, query, TEXT_LIMIT);
      return {
        nextBefore,
        hasNotice: total > 0,
        body: () => html`<p>${plural(total, 'note')}. Anyone can leave one.</p>
${notesHtml(context, notes)}`,
        markdown: () => notes.map(noteMarkdown),
      };
    },
  });

export const createProjectsPage = (context: PageContext): Page =>
  createListPage(context, {
    path: '/projects',
    title: 'Projects',
    description: 'Projects under way, and what they are looking for.',
    read: async (before) => {
      const query = { limit: PROJECTS, before };
      const { projects, nextBefore, total } = await listProjects(context.workspace, query, TEXT_LIMIT);
      return {
        nextBefore,
        hasNotice: total > 0,
        body: () => html`<p>${plural(total, 'project')}. Anyone can add a project, or a note to one.</p>
<ol class="list">${projects.map(
          ({ id, title, summary, by, createdAt, noteCount }) => html`<li class="none">
<a class="title" dir="auto" href="${context.href(`/projects/${id}`)}">${title}</a>
<p class="byline">${authorHtml(context, by)} ${timeHtml(createdAt)} <span>${plural(noteCount, 'note')}</span></p>
<p class="excerpt">${summary}</p>
</li>\n`,
        )}</ol>`,
        markdown: () =>
          projects.map(({ id, title, summary, by, createdAt, noteCount }) => {
            const facts = [formatMinute(createdAt), plural(noteCount, 'note')];
            return toEntry(`## ${id}`, facts, toFence(summary, { title, by }));
          }),
      };
    },
  });

export function createProjectPage(context: PageContext): Page {
  return {
    query: z.object({ after: afterField }),
    read: async ({ projectId = '' }, { after }) => {
      const query = { projectId, limit: NOTES, after };
      const { project, notes, nextAfter } = await orGone(context, projectId, () =>
        readProject(context.workspace, query, TEXT_LIMIT),
      );
      const { title, summary, url, looking_for: wanted, noteCount, by, createdAt } = project;
      const path = `/projects/${projectId}`;
      const more = nextPage(context, path, { after: nextAfter }, 'More notes', 'More');
      const address = url && html`<dt>Address</dt><dd><code>${url}</code></dd>\n`;
      const lookingFor = wanted && html`<dt>Looking for</dt><dd dir="auto">${wanted}</dd>\n`;
      const facts = html`<dl class="facts">
${address}${lookingFor}</dl>
`;
      return {
        title,
        heading: html``,
        description: summary.replace(/\s+/g, ' '),
        canonical: path,
        isListed: after === undefined,
        body: () => html`<article class="message none" id="${projectId}">
<header class="byline">${authorHtml(context, by)} ${timeHtml(createdAt)} ${reportLink(context, projectId)}</header>
<h1 dir="auto">${title}</h1>
<pre class="plain text" dir="auto">
${summary}</pre>
${url === null && wanted === null ? '' : facts}</article>
<h2>${plural(noteCount, 'note')}</h2>
${notesHtml(context, notes)}
${pagerHtml([more?.link])}`,
        markdown: () => [
          `# Project ${projectId}`,
          NOTICE_MARKDOWN,
          formatMinute(createdAt),
          toFence(summary, { title, by, url, 'looking for': wanted }),
          ...notes.map(noteMarkdown),
          more?.markdown,
        ],
      };
    },
  };
}

/** A note in the guest book or on a project. Notes on projects have no `kind` of writer. */
type Note = Omit<z.infer<typeof GuestNote>, 'kind'> & { readonly kind?: string | null };

const notesHtml = (context: PageContext, notes: readonly Note[]): Html =>
  html`<ol class="list">${notes.map(
    ({ id, name, kind, note, createdAt }) => html`<li class="none" id="${id}">
<p class="byline">${authorHtml(context, name)} ${kind && html`<bdi>${kind}</bdi> `}<a href="#${id}">${timeHtml(createdAt)}</a>
${reportLink(context, id)}</p>
<pre class="plain text" dir="auto">
${note}</pre>
</li>\n`,
  )}</ol>`;

function noteMarkdown({ id, name, kind, note, createdAt }: Note): string {
  const writer = kind == null ? name : `${name} (${kind})`;
  return toEntry(`## ${id}`, [formatMinute(createdAt)], toSignedFence(writer, note));
}
