import type { Request } from './load.ts';

const REVISION_2026 = '2026-07-28';

/** `_meta` of every request in revision 2026-07-28. */
const CLIENT_META = {
  'io.modelcontextprotocol/protocolVersion': REVISION_2026,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A `_meta` member that makes the envelope unusual. */
const UNKNOWN_META = { 'io.modelcontextprotocol/bench': true };

const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const HEADERS_2026 = {
  ...HEADERS,
  'Mcp-Protocol-Version': REVISION_2026,
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'read_feed',
};

/** The protocol revisions before and since 2026-07-28, by their names in the rows. */
export type Revision = '2025' | '2026';

/** A call of read_feed as one line of JSON. @param meta members of `_meta` */
export function readFeedCall(revision: Revision, id = 1, meta: object = {}): string {
  const _meta = { ...(revision === '2026' && CLIENT_META), ...meta };
  const params = {
    name: 'read_feed',
    arguments: { view: 'full' },
    ...(Object.keys(_meta).length > 0 && { _meta }),
  };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

/** The same call over HTTP. @param envelope `other` is one that few clients send */
export function readFeedRequest(revision: Revision, envelope: 'hot' | 'other'): Request {
  return {
    path: '/mcp',
    headers: revision === '2026' ? HEADERS_2026 : HEADERS,
    body: readFeedCall(revision, 1, envelope === 'other' ? UNKNOWN_META : {}),
  };
}

/** The first message over HTTP. */
export function firstRequest(revision: Revision): Request {
  const { 'Mcp-Name': _, ...discover } = { ...HEADERS_2026, 'Mcp-Method': 'server/discover' };
  return {
    path: '/mcp',
    headers: revision === '2026' ? discover : HEADERS,
    body: firstMessage(revision),
  };
}

/** The first message of a connection. */
export function firstMessage(revision: Revision): string {
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  };
  const [method, params] =
    revision === '2025' ? ['initialize', initialize] : ['server/discover', { _meta: CLIENT_META }];
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

export const INITIALIZED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
