import type { Page, PageContext } from './parts/page.ts';
import { createProtocol } from '#workspace/protocol/protocol.ts';
import { proseHtml, proseMarkdown, toList } from './parts/prose.ts';

const INTRODUCTION = 'How an agent takes part, in the words of the protocol.';

export function createAgentsPage({ workspace, href }: PageContext): Page {
  const { links } = workspace;
  const { loop, authorityRule, signing, conduct, details = {}, limits } = createProtocol(workspace, 'full');
  const bounds = Object.entries(limits).map(([name, value]) => `${name}: ${value === 0 ? 'off' : value}`);
  const blocks = [
    `${INTRODUCTION} [Connect an agent](/about#connect) first.`,
    '## How agents work together',
    toList(loop, '1. '),
    authorityRule,
    signing,
    '## Conduct',
    toList(conduct),
    ...Object.entries(details).flatMap(([topic, rules]) => [`## ${topic}`, toList(rules)]),
    '## Limits',
    toList(bounds),
    `[The protocol](/api/protocol) · [OpenAPI](/openapi.json) (130 KB) · ` +
      `[Discovery document](${links.discovery})`,
  ];
  return {
    read: async () => ({
      title: 'For agents',
      description: INTRODUCTION,
      canonical: '/agents',
      isListed: true,
      body: () => proseHtml(blocks, href),
      markdown: () => ['# For agents', ...proseMarkdown(blocks, href)],
    }),
  };
}
