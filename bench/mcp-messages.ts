/** The messages of MCP, in both eras. */
export const ACCEPT = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

/** A reserved member that the fast path does not know, so that it leaves the call to the SDK. */
const BEYOND_FAST_PATH = { 'io.modelcontextprotocol/bench': true };

const REVISION = '2026-07-28';

/** What a message of the newer era carries. */
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const ERAS = ['2025', '2026'] as const;

export type Era = (typeof ERAS)[number];

export function message(era: Era, method: string, params: object = {}, id = 1): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, ...(era === '2026' && { _meta: META }) },
  });
}

/** A call with the same answer that an SDK has to make. */
export function sdkCall(era: Era, name: string): string {
  const _meta = { ...(era === '2026' && META), ...BEYOND_FAST_PATH };
  const params = { name, arguments: {}, _meta };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
}

export function call(era: Era, name: string, args: object = {}, id = 1): string {
  return message(era, 'tools/call', { name, arguments: args }, id);
}

/** The headers of a call of a tool. */
export function headersOf(era: Era, name: string): Record<string, string> {
  return era === '2025'
    ? ACCEPT
    : { ...ACCEPT, 'Mcp-Protocol-Version': REVISION, 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
}

/** The first message of a line. */
export function opening(era: Era): string {
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  return era === '2025' ? message(era, 'initialize', hello) : message(era, 'server/discover');
}

export const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
