import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpEndpoint } from '#http/options/app-options.ts';
import type { Caller } from '#workspace/caller.ts';
import { checkAccept } from './accept.ts';
import { InvalidMessage } from './rpc-error.ts';

type MessageHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  caller: Caller,
) => Promise<void>;

/**
 * @returns a function that responds to the parsed body of a POST, which is one JSON-RPC message
 * @throws TransportError malformed_json, not_acceptable, from the function
 */
export function createMessageHandler(mcp: McpEndpoint): MessageHandler {
  return async (request, response, body, caller) => {
    if (Array.isArray(body)) {
      throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    }
    if (!mcp.isMessage(body)) throw new InvalidMessage(mcp.invalidMessage);
    checkAccept(request.headers.accept, mcp.isStream(body as never));
    if (!mcp.namesRevision(body as never)) checkVersion(request, mcp.protocolVersions);
    response.setHeader('Cache-Control', 'no-store');
    await mcp.handle(request, response, body as never, caller);
  };
}

function checkVersion({ headers }: IncomingMessage, versions: readonly string[]): void {
  const version = headers['mcp-protocol-version'] as string | undefined;
  if (version !== undefined && !versions.includes(version)) {
    throw new InvalidMessage(`This protocol version is not served; served are ${versions.join(', ')}.`);
  }
}
