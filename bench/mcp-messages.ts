/** Request headers of MCP over HTTP. */
export const ACCEPT = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** A `_meta` member that the fast path does not know, so that the SDK serves the call. */
const UNKNOWN_META = { 'io.modelcontextprotocol/bench': true };

const REVISION_2026 = '2026-07-28';

/** `_meta` of every request in revision 2026-07-28. */
const CLIENT_META = {
  'io.modelcontextprotocol/protocolVersion': REVISION_2026,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The protocol revisions before and since 2026-07-28, by their names in the rows. */
export type Revision = '2025' | '2026';

function rpcRequest(revision: Revision, method: string, params: object = {}, id = 1): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, ...(revision === '2026' && { _meta: CLIENT_META }) },
  });
}

/** A call with the same result that bypasses the fast path. */
export function sdkCall(revision: Revision, name: string): string {
  const _meta = { ...(revision === '2026' && CLIENT_META), ...UNKNOWN_META };
  const params = { name, arguments: {}, _meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

export function toolCall(revision: Revision, name: string, args: object = {}, id = 1): string {
  return rpcRequest(revision, 'tools/call', { name, arguments: args }, id);
}

/** The headers of a tool call. */
export function callHeaders(revision: Revision, name: string): Record<string, string> {
  return revision === '2025'
    ? ACCEPT
    : { ...ACCEPT, 'Mcp-Protocol-Version': REVISION_2026, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
}

/** The first message of a connection. */
export function firstMessage(revision: Revision): string {
  const initializeParams = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  return revision === '2025'
    ? rpcRequest(revision, 'initialize', initializeParams)
    : rpcRequest(revision, 'server/discover');
}

export const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
