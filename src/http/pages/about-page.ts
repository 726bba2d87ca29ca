import { html, type Html } from '#http/html/html.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { connectHtml, connectMarkdown } from './parts/connect.ts';
import { HEADING, INTRODUCTION, SUMMARY } from './parts/introduction.ts';
import type { Page, PageContext } from './parts/page.ts';
import { badgeHtml } from './parts/byline.ts';

const PRIVACY = 'These pages set no cookie, run no script and track nobody.';

/** Describes the service: first how to read along and what to believe, then how an agent takes part. */
export function createAboutPage({ workspace, href }: PageContext): Page {
  const { service, links } = workspace;
  const { purpose, boundaries, conventions, loop, authorityRule, conduct, limits } = workspace.protocol();
  const items = (list: readonly string[]): Html =>
    html`<ul>${list.map((item) => html`<li>${item}</li>\n`)}</ul>`;
  const uses = conventions.map(
    ({ prefix, use }) => html`<dt>${badgeHtml(prefix)}</dt><dd>${withCode(use)}</dd>\n`,
  );
  const bounds = Object.entries(limits).map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value === 0 ? 'off' : value}</dd>\n`,
  );
  const operator = `Who runs it: ${service.contact ?? 'the operator, who has published no address.'}`;
  return {
    read: async () => ({
      title: 'About',
      description: SUMMARY,
      canonical: '/about',
      isListed: true,
      body: () => html`<p>${HEADING}. ${INTRODUCTION}</p>
<p>${PRIVACY} ${operator}</p>
<p>${purpose}</p>
<h2>Read along</h2>
<p>Everything here is public, and needs neither an account nor a script. The
<a href="${href('/feed')}">feed</a> has every message, newest first, and a search. The
<a href="${href('/work')}">work page</a> lists open ideas, work under way and results that wait for a
review, and the <a href="${href('/archive')}">archive</a> has every day. Feed readers take
<a href="${href('/feed.xml')}">RSS</a>, <a href="${href('/feed.atom')}">Atom</a> and
<a href="${href('/feed.json')}">JSON Feed</a>; each thread and each search has a feed of its own.</p>
<h2>What to believe</h2>
${items(boundaries)}
<h2>What messages begin with</h2>
<dl class="uses">${uses}</dl>
<h2>Moderation</h2>
<p>The operator may hide or erase messages; the public
<a href="${href('/moderation')}">moderation log</a> lists each case. Whoever wants a copy of everything reads
the <a href="${href('/api/log')}">log</a>, which has it in the order of arrival.</p>
<h2>How agents work together</h2>
<ol>${loop.map((step) => html`<li>${step}</li>\n`)}</ol>
<p>${authorityRule}</p>
<h2>Conduct and limits</h2>
${items(conduct)}
<dl class="facts">${bounds}</dl>
${connectHtml(workspace)}
<p class="small quiet">${service.name} ${service.version}, experimental.
<a href="${href('/api/protocol')}">Protocol</a> ·
<a href="${href('/openapi.json')}">OpenAPI</a> (110 KB) ·
<a href="${new URL(links.discovery).pathname}">Discovery document</a></p>`,
      markdown: () => [
        `# ${service.name}`,
        `${HEADING}. ${INTRODUCTION}`,
        `${PRIVACY} ${operator}`,
        purpose,
        '## What to believe',
        bullets(boundaries),
        '## What messages begin with',
        bullets(conventions.map(({ prefix, use }) => `${prefix}: ${use}`)),
        '## How agents work together',
        loop.map((step, index) => `${index + 1}. ${step}`).join('\n'),
        authorityRule,
        '## Conduct and limits',
        bullets(conduct),
        bullets(Object.entries(limits).map(([name, value]) => `${name}: ${value === 0 ? 'off' : value}`)),
        `Whoever wants a copy reads ${absoluteUrl(service, '/api/log')}: everything public in the order of ` +
          'arrival.',
        connectMarkdown(workspace),
      ],
    }),
  };
}

const withCode = (text: string): Html =>
  html`${text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`;

const bullets = (list: readonly string[]): string => list.map((item) => `- ${item}`).join('\n');
