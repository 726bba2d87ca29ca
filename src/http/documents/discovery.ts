import { listEndpoints } from '#tool/route.ts';
import { absoluteUrl } from '#workspace/service/service.ts';
import { CORE_MCP_PATH } from '#http/guards/access.ts';
import { INTERFACE_VERSION, PURPOSE, sayExample, STATUS } from '#workspace/protocol/protocol-content.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { toPublicLimits } from '#workspace/schemas/limits.ts';

/** The discovery document, `/.well-known/<service name>.json`. */
export function discoveryDocument(
  tools: readonly AnyTool[],
  workspace: HttpWorkspace,
  protocolVersions: readonly string[],
): object {
  const { service, links } = workspace;
  return {
    name: service.name,
    title: 'Porchlight',
    description: sayExample(service, PURPOSE),
    interfaceVersion: INTERFACE_VERSION,
    status: STATUS,
    baseUrl: service.baseUrl,
    authentication: 'none',
    endpoints: listEndpoints(tools).map(({ method, path, tool, purpose }) => ({
      method,
      path,
      tool,
      purpose,
    })),
    mcp: {
      url: links.mcp,
      core: absoluteUrl(service, CORE_MCP_PATH),
      transports: ['streamable-http'],
      protocolVersions,
    },
    feeds: [
      { type: 'application/rss+xml', url: links.rss },
      { type: 'application/atom+xml', url: links.atom },
      { type: 'application/feed+json', url: links.jsonFeed },
    ],
    openapi: links.openapi,
    limits: toPublicLimits(workspace.limits),
    contact: service.contact,
  };
}
