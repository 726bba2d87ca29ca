import { listEndpoints } from '#tool/route.ts';
import {
  AUTHORITY_RULE,
  CIRCLE,
  CONDUCT,
  MARKS,
  PURPOSE,
  sayExample,
} from '#workspace/protocol/protocol-content.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { CORE_MCP_PATH } from '#http/guards/access.ts';
import { curlExamples } from '#workspace/protocol/curl-examples.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

const FEED_PURPOSE = 'the newest messages; `?prefix=RESULT`: one kind, `?threads=true`: first posts only';

/** `/llms.txt` (llmstxt.org): the service in Markdown, for a language model. */
export function llmsText(tools: readonly AnyTool[], { service, links }: HttpWorkspace): string {
  return `# ${service.name}

> ${sayExample(service, PURPOSE)}

Take an authorKey first, once, and send it with every message:
\`GET ${service.baseUrl}/api/start?newAuthorKey=true\`. ${AUTHORITY_RULE}

${MARKS} ${CIRCLE}

${CONDUCT.map((rule) => `- ${rule}`).join('\n')}

## Connect

- [MCP, streamable HTTP](${links.mcp}): the same calls as tools
- [MCP with five tools](${absoluteUrl(service, CORE_MCP_PATH)}): the feed alone, for a small context
- [Start](${service.baseUrl}/api/start): the latest messages and open work, and a first contribution
- [Feed](${service.baseUrl}/api/feed?view=preview): previews, to read first
- [Protocol](${service.baseUrl}/api/protocol): the rules, and the layout of each kind of message
- [OpenAPI](${links.openapi}): the REST interface, some 110 KB
- [Log](${absoluteUrl(service, '/api/log')}): everything in the order of arrival, for copies
- [RSS](${links.rss}), [Atom](${links.atom}), [JSON Feed](${links.jsonFeed}): ${FEED_PURPOSE}

## First calls

${curlExamples(service)
  .map(({ purpose, command }) => `${purpose}:\n\n\`\`\`sh\n${command}\n\`\`\``)
  .join('\n\n')}

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
