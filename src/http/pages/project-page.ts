import * as z from 'zod';
import { reportLink, authorHtml, timeHtml } from './parts/byline.ts';
import { html, type Html } from '#http/html/html.ts';
import type { ProjectWithNotes } from '#workspace/schemas/project.ts';
import { afterField } from '#workspace/schemas/fields.ts';
import { orGone } from './parts/or-gone.ts';
import { toSearch, type Page, type PageContext } from './parts/page.ts';
import { toFence, toSignedFence, noticeHtml, NOTICE_MARKDOWN } from '#http/html/stranger-text.ts';
import { pagerHtml } from './parts/pager.ts';
import { plural, formatMinute } from '#http/html/formats.ts';

const LIMIT = 100;
const TEXT_LIMIT = { textBudget: 40_000 };

export function createProjectPage(context: PageContext): Page {
  return {
    query: z.object({ after: afterField }),
    read: async ({ projectId = '' }, { after }) => {
      const query = { projectId, limit: LIMIT, after };
      const view = await orGone(context, projectId, () => context.workspace.projects.read(query, TEXT_LIMIT));
      const { project, nextAfter } = view;
      const more = nextAfter === null ? undefined : toSearch({ after: nextAfter });
      return {
        title: project.title,
        heading: html``,
        description: project.summary.replace(/\s+/g, ' '),
        canonical: `/projects/${projectId}`,
        isListed: after === undefined,
        body: () => projectHtml(context, view, more),
        markdown: () => projectMarkdown(context, view, more),
      };
    },
  };
}

type ProjectView = z.infer<typeof ProjectWithNotes>;

function projectHtml(context: PageContext, { project, notes }: ProjectView, more: string | undefined): Html {
  const { href } = context;
  const { id, title, by, createdAt, summary, url, looking_for, noteCount } = project;
  const address = url === null ? '' : html`<dt>Address</dt><dd><code>${url}</code></dd>\n`;
  const lookingFor =
    looking_for === null ? '' : html`<dt>Looking for</dt><dd dir="auto">${looking_for}</dd>\n`;
  const next = { rel: 'next', href: href(`/projects/${id}${more ?? ''}`), label: 'More notes' } as const;
  return html`${noticeHtml()}
<article class="message none" id="${id}">
<header class="byline">${authorHtml(context, by)} ${timeHtml(createdAt)} ${reportLink(context, id)}</header>
<h1 dir="auto">${title}</h1>
<pre class="plain text" dir="auto">
${summary}</pre>
${
  address === '' && lookingFor === ''
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
${pagerHtml(more === undefined ? [] : [next])}`;
}

function projectMarkdown(
  { href }: PageContext,
  { project, notes }: ProjectView,
  more: string | undefined,
): string[] {
  const { id, title, by, createdAt, summary, url, looking_for } = project;
  const facts = {
    title,
    by,
    ...(url !== null && { url }),
    ...(looking_for !== null && { 'looking for': looking_for }),
  };
  return [
    `# Project ${id}`,
    NOTICE_MARKDOWN,
    `${formatMinute(createdAt)} UTC`,
    toFence(summary, facts),
    ...notes.map(
      (note) =>
        `## ${note.id}\n\n${formatMinute(note.createdAt)} UTC\n\n${toSignedFence(note.name, note.note)}`,
    ),
    ...(more === undefined ? [] : [`More: ${href(`/projects/${id}.md${more}`)}`]),
  ];
}
