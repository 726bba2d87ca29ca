import { JSON_BODY, MCP_ACCEPT, OWN_HOST } from './headers.ts';
import { CLIENT_META, REVISION } from './mcp-messages.ts';
import type { HttpRequest } from './requests.ts';

export const getRequest = (target: string): HttpRequest => ({
  method: 'GET',
  target,
  headers: [OWN_HOST],
  body: undefined,
});

const toolsListRequest = (params: object): HttpRequest => ({
  method: 'POST',
  target: '/mcp',
  headers: [
    OWN_HOST,
    JSON_BODY,
    MCP_ACCEPT,
    ...('_meta' in params
      ? ([
          ['Mcp-Protocol-Version', REVISION],
          ['Mcp-Method', 'tools/list'],
        ] as const)
      : []),
  ],
  body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })),
});

/** One request of each MCP revision. */
export const TOOLS_LIST_REQUESTS = [toolsListRequest({}), toolsListRequest({ _meta: CLIENT_META })];
