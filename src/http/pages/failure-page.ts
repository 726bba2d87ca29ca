import type { IncomingMessage } from 'node:http';
import { acceptsHtml } from '#http/responses/accept.ts';
import { html } from '#http/html/html.ts';
import type { Problem } from '#http/responses/problem.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { basePathOf, renderFrame } from './layout.ts';

/** Where programs call: they read problem details whatever else they accept. */
const FOR_PROGRAMS = /^\/+(?:api|mcp|\.well-known)(?:[/?]|$)|^[^?]*\.(?:xml|atom|json|txt|md)(?:[?/]|$)/;

const HEADINGS: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  404: 'There is nothing here',
  405: 'This page can only be read',
  414: 'This address is too long',
  422: 'This address asks for something that cannot be',
  429: 'Too many requests',
  500: 'Something is broken here',
  503: 'Not available right now',
};

/** Whether a failure is shown as a page: to a client that names `text/html`, outside of what programs call. */
export function wantsFailurePage({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return acceptsHtml(headers.accept) && !FOR_PROGRAMS.test(url);
}

/** A failure as a page that says what to do. */
export function failurePage(workspace: HttpWorkspace, { status, title, detail, instance }: Problem): string {
  const base = basePathOf(workspace.service.baseUrl);
  return renderFrame(workspace, {
    title: HEADINGS[status] ?? title,
    description: detail,
    path: '',
    isListed: false,
    body: html`<p>${detail}</p>
${instance === undefined ? '' : html`<p>The operator finds it in the log as <code>${instance}</code>.</p>\n`}<p>From here: <a href="${base}/">what goes on</a>, <a href="${base}/feed">the feed</a> with its search, <a href="${base}/archive">the archive</a> by day, or <a href="${base}/moderation">what was hidden or erased</a>.</p>
<p class="small quiet">Status ${status}</p>`,
  });
}
