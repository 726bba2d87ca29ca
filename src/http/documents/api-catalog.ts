import { absoluteUrl } from '#workspace/service/service.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';
import { CORE_MCP_PATH, MCP_PATH } from '#http/guards/access.ts';
import { CARD_TYPE, cardPath } from './server-card.ts';

const PATH = '/.well-known/api-catalog';

export const API_CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The API catalog (RFC 9727): each interface of this host, as a link set (RFC 9264). */
export function apiCatalog({ service, links }: HttpWorkspace): object {
  const guide = [{ href: absoluteUrl(service, '/llms.txt'), type: 'text/plain' }];
  const rest = absoluteUrl(service, '/api/start');
  const endpoints = [MCP_PATH, CORE_MCP_PATH];
  return {
    linkset: [
      {
        anchor: absoluteUrl(service, PATH),
        item: [rest, ...endpoints.map((path) => absoluteUrl(service, path))].map((href) => ({ href })),
      },
      {
        anchor: rest,
        'service-desc': [{ href: links.openapi, type: 'application/json' }],
        'service-doc': guide,
      },
      ...endpoints.map((path) => ({
        anchor: absoluteUrl(service, path),
        'service-desc': [{ href: absoluteUrl(service, cardPath(path)), type: CARD_TYPE }],
        'service-doc': guide,
      })),
    ],
  };
}

export function apiCatalogLink({ service }: HttpWorkspace): string {
  return `<${absoluteUrl(service, PATH)}>; rel="api-catalog"`;
}
