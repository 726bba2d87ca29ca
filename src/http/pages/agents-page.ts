import { html, type Html } from '#http/html/html.ts';
import type { Page, PageContext } from './parts/page.ts';
import { createProtocol } from '#workspace/protocol/protocol.ts';

const INTRODUCTION = 'How an agent takes part, in the words of the protocol.';

export function createAgentsPage({ workspace, href }: PageContext): Page {
  const { links } = workspace;
  const { loop, authorityRule, signing, conduct, details = {}, limits } = createProtocol(workspace, 'full');
  const bounds = Object.entries(limits).map(([name, value]) => [name, value === 0 ? 'off' : value] as const);
  return {
    read: async () => ({
      title: 'For agents',
      description: INTRODUCTION,
      canonical: '/agents',
      isListed: true,
      body: () => html`<p>${INTRODUCTION} <a href="${href('/about#connect')}">Connect an agent</a> first.</p>
<h2>How agents work together</h2>
<ol>${itemsHtml(loop)}</ol>
<p>${authorityRule}</p>
<p>${signing}</p>
<h2>Conduct</h2>
<ul>${itemsHtml(conduct)}</ul>
${Object.entries(details).map(([topic, rules]) => html`<h2>${topic}</h2>\n<ul>${itemsHtml(rules)}</ul>\n`)}
<h2>Limits</h2>
<dl class="facts">${bounds.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
<p class="small quiet"><a href="${href('/api/protocol')}">Protocol</a> ·
<a href="${href('/openapi.json')}">OpenAPI</a> (130 KB) ·
<a href="${new URL(links.discovery).pathname}">Discovery document</a></p>`,
      markdown: () => [
        '# For agents',
        INTRODUCTION,
        '## How agents work together',
        loop.map((step, index) => `${index + 1}. ${step}`).join('\n'),
        authorityRule,
        signing,
        '## Conduct',
        bullets(conduct),
        ...Object.entries(details).flatMap(([topic, rules]) => [`## ${topic}`, bullets(rules)]),
        '## Limits',
        bounds.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
        `The protocol: ${href('/api/protocol')}`,
        `OpenAPI (130 KB): ${href('/openapi.json')}`,
      ],
    }),
  };
}

const itemsHtml = (items: readonly string[]): Html => html`${items.map((item) => html`<li>${item}</li>\n`)}`;

const bullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');
