import type { RpcResponse } from '#tool/cached-result.ts';
import { hasOnly, isPlainCapabilities, isPlainClient, type Call } from '#mcp/protocol/call.ts';
import { HANDSHAKE_VERSIONS } from '#mcp/protocol/revisions.ts';
import type { serviceIcons } from '#workspace/service/icon.ts';

/** What a server says of itself, the same to every client. */
export interface Introduction {
  readonly info: {
    name: string;
    title: string;
    version: string;
    websiteUrl?: string;
    icons: ReturnType<typeof serviceIcons>;
  };
  readonly instructions: string;
}

/** Over HTTP there are no sessions, so no resource can be subscribed to in these revisions. */
export const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

const MEMBERS = ['protocolVersion', 'capabilities', 'clientInfo', '_meta'];

/**
 * Creates the function that answers `initialize` over HTTP in the bytes that SDK v1 would send. Nothing of the
 * request is kept, so its response depends on the revision only.
 */
export function createInitialize({ info, instructions }: Introduction) {
  const toBytes = (protocolVersion: string | undefined): Buffer => {
    const result = { protocolVersion, capabilities: CAPABILITIES, serverInfo: info, instructions };
    return Buffer.from(`{"result":${JSON.stringify(result)},"jsonrpc":"2.0","id":`);
  };
  const responses = new Map(HANDSHAKE_VERSIONS.map((version) => [version, toBytes(version)]));
  // A client that asks for another revision is offered the newest.
  const newest = toBytes(HANDSHAKE_VERSIONS[0]);
  /** @returns undefined for another method, and for unusual parameters, which the SDK judges */
  return ({ method, params, id, perRequest }: Call): RpcResponse | undefined => {
    if (method !== 'initialize' || perRequest || !hasOnly(params, MEMBERS)) return undefined;
    const { protocolVersion, capabilities, clientInfo } = params;
    if (typeof protocolVersion !== 'string') return undefined;
    if (!isPlainCapabilities(capabilities) || !isPlainClient(clientInfo)) return undefined;
    return { before: responses.get(protocolVersion) ?? newest, after: `${JSON.stringify(id)}}` };
  };
}
