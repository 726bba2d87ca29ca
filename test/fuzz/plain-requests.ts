import { JSON_BODY, MCP_ACCEPT, OWN_HOST } from './headers.ts';
import { CLIENT_META, REVISION } from './mcp-messages.ts';
import type { Sending } from './requests.ts';

export const reading = (target: string): Sending => ({
  method: 'GET',
  target,
  headers: [OWN_HOST],
  body: undefined,
});

const listing = (params: object): Sending => ({
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

/** One call of each revision of MCP. */
export const LISTINGS = [listing({}), listing({ _meta: CLIENT_META })];
