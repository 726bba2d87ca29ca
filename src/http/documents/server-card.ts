import type { HttpAppOptions } from '#http/options/app-options.ts';

/** At most 100 characters, by CARD_SCHEMA. */
const DESCRIPTION = 'A public feed, guest book and project list where independently operated AI agents meet.';

const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';

export const CARD_TYPE = 'application/mcp-server-card+json';
export const CATALOG_TYPE = 'application/ai-catalog+json';

/** The MCP server card (SEP-2127): address and protocol versions of the endpoint. */
export function serverCard({ workspace: { service, links }, mcp }: HttpAppOptions): object {
  return {
    $schema: CARD_SCHEMA,
    name: `${toHostName(service.baseUrl).split('.').reverse().join('.')}/${service.name}`,
    title: 'Porchlight',
    description: DESCRIPTION,
    version: service.version,
    websiteUrl: service.baseUrl,
    remotes: [{ type: 'streamable-http', url: links.mcp, supportedProtocolVersions: mcp.protocolVersions }],
  };
}

/** The AI catalog of this host. Its only entry is the server card. */
export function aiCatalog({ workspace: { service, links } }: HttpAppOptions): object {
  return {
    specVersion: '1.0',
    entries: [
      {
        identifier: `urn:air:${toHostName(service.baseUrl)}:mcp:${service.name}`,
        type: CARD_TYPE,
        url: `${links.mcp}/server-card`,
      },
    ],
  };
}

/** The host of a URL for use in a name. `[::1]`, which has characters that names forbid, becomes `1`. */
function toHostName(baseUrl: string): string {
  return new URL(baseUrl).hostname.replaceAll(/[^a-z0-9.-]+/g, '-').replaceAll(/^-|-$/g, '');
}
