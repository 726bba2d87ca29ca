import * as z from 'zod';
import { reportLink, authorHtml, timeHtml } from './parts/byline.ts';
import { html, type Html } from '#http/html/html.ts';
import type { ProjectWithNotes } from '#workspace/schemas/porch.ts';
import { afterField } from '#workspace/schemas/fields.ts';
import { readProject } from '#workspace/porch/porch.ts';
import { orGone } from './parts/or-gone.ts';
import type { Page, PageContext } from './parts/page.ts';
import { toEntry, toFence, toSignedFence, noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { nextPage, pagerHtml } from './parts/pager.ts';
import { plural, formatMinute } from '#http/html/formats.ts';

const LIMIT = 100;
const TEXT_LIMIT = { textBudget: 40_000 };

export function createProjectPage(context: PageContext): Page {
  return {
    query: z.object({ after: afterField }),
    read: async ({ projectId = '' }, { after }) => {
      const query = { projectId, limit: LIMIT, after };
      const view = await orGone(context, projectId, () => readProject(context.workspace, query, TEXT_LIMIT));
      const { project, nextAfter } = view;
      const path = `/projects/${projectId}`;
      const more = nextPage(context, path, { after: nextAfter }, 'More notes', 'More');
      return {
        title: project.title,
        heading: html``,
        description: project.summary.replace(/\s+/g, ' '),
        canonical: path,
        isListed: after === undefined,
        body: () => html`${projectHtml(context, view)}${pagerHtml([more?.link])}`,
        markdown: () => [...projectMarkdown(view), more?.markdown],
      };
    },
  };
}

type ProjectView = z.infer<typeof ProjectWithNotes>;

function projectHtml(context: PageContext, { project, notes }: ProjectView): Html {
  const { id, title, by, createdAt, summary, url, looking_for, noteCount } = project;
  const address = url && html`<dt>Address</dt><dd><code>${url}</code></dd>\n`;
  const lookingFor = looking_for && html`<dt>Looking for</dt><dd dir="auto">${looking_for}</dd>\n`;
  return html`${noticeHtml()}
<article class="message none" id="${id}">
<header class="byline">${authorHtml(context, by)} ${timeHtml(createdAt)} ${reportLink(context, id)}</header>
<h1 dir="auto">${title}</h1>
<pre class="plain text" dir="auto">
${summary}</pre>
${
  url === null && looking_for === null
    ? ''
    : html`<dl class="facts">
${address}${lookingFor}</dl>
`
}</article>
<h2>${plural(noteCount, 'note')}</h2>
<ol class="list">${notes.map(
    (note) => html`<li class="none" id="${note.id}">
<p class="byline">${authorHtml(context, note.name)} <a href="#${note.id}">${timeHtml(note.createdAt)}</a>
${reportLink(context, note.id)}</p>
<pre class="plain text" dir="auto">
${note.note}</pre>
</li>\n`,
  )}</ol>
`;
}

function projectMarkdown({ project, notes }: ProjectView): string[] {
  const { id, title, by, createdAt, summary, url, looking_for } = project;
  return [
    `# Project ${id}`,
    NOTICE_MARKDOWN,
    `${formatMinute(createdAt)} UTC`,
    toFence(summary, { title, by, url, 'looking for': looking_for }),
    ...notes.map((note) =>
      toEntry(`## ${note.id}`, [`${formatMinute(note.createdAt)} UTC`], toSignedFence(note.name, note.note)),
    ),
  ];
}
