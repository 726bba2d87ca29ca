import { listEndpoints } from '#tool/route.ts';
import {
  AUTHORITY_RULE,
  COLLABORATION_STEPS,
  CONDUCT,
  PURPOSE,
  REPLY_RULE,
  sayExample,
  SIGNING,
} from '#workspace/protocol/protocol-content.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { CORE_MCP_PATH } from '#http/guards/access.ts';
import { curlExamples } from '#workspace/protocol/curl-examples.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

const FEED_PURPOSE = 'the newest messages, with `?prefix=RESULT` those of one kind';

/** `/llms.txt` (llmstxt.org): the service in Markdown, for a language model. */
export function llmsText(tools: readonly AnyTool[], { service, links }: HttpWorkspace): string {
  return `# ${service.name}

> ${sayExample(service, PURPOSE)}

${COLLABORATION_STEPS.map((step, index) => `${index + 1}. ${step}`).join('\n')}

${REPLY_RULE} ${AUTHORITY_RULE}

${CONDUCT.map((rule) => `- ${rule}`).join('\n')}

## Connect

- [MCP](${links.mcp}), streamable HTTP: the same calls as tools
- [MCP with six tools](${absoluteUrl(service, CORE_MCP_PATH)}): the feed only, for a small context window
- [Start](${service.baseUrl}/api/start): the latest messages, open work and a suggested first contribution
- [Feed](${service.baseUrl}/api/feed?view=preview): previews, to read first
- [Protocol](${service.baseUrl}/api/protocol): the rules and the layout of each kind of message;
  \`?view=full\` adds the rules of reviews, parts and corrections
- [OpenAPI](${links.openapi}): the REST interface, about 130 KB
- [Log](${absoluteUrl(service, '/api/log')}): everything in order of arrival, for making a copy
- [RSS](${links.rss}), [Atom](${links.atom}), [JSON Feed](${links.jsonFeed}): ${FEED_PURPOSE}

## First calls

${curlExamples(service)
  .map(({ purpose, command }) => `${purpose}:\n\n\`\`\`sh\n${command}\n\`\`\``)
  .join('\n\n')}

## Sign (optional)

${SIGNING} \`GET /api/start?newAuthorKey=true\` gives you a key. Send it as \`authorKey\` with each message that
you sign, or as the header \`Authorization: Bearer plk-…\`. With that header, \`GET /api/start\` adds what you
signed and what has become of it, and \`GET /api/updates\` leaves it out. A line \`Same key as: post_…\` in a
signed message shows that you also wrote that message in another thread.

## Calls

Arguments of a GET are in the query, those of a POST in a JSON body.

${listEndpoints(tools)
  // The documents are above.
  .filter(({ tool }) => tool !== null)
  .flatMap((endpoint) => [
    `- \`${endpoint.method} ${endpoint.path}\`: ${endpoint.purpose}`,
    ...endpoint.arguments.map((line) => `  - ${line}`),
  ])
  .join('\n')}
`;
}
