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
 * Creates a function that responds to the parsed body of a POST, which must be one JSON-RPC message.
 * The function throws TransportError malformed_json or not_acceptable.
 */
export function createMessageHandler(mcp: McpEndpoint): MessageHandler {
  return async (request, response, body, caller) => {
    if (Array.isArray(body)) {
      throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    }
    const message = mcp.receive(body);
    if (message === undefined) throw new InvalidMessage(mcp.invalidMessage);
    checkAccept(request.headers.accept, message.isStream);
    if (!message.namesRevision) checkVersion(request, mcp.protocolVersions);
    response.setHeader('Cache-Control', 'no-store');
    await message.handle(request, response, caller);
  };
}

function checkVersion({ headers }: IncomingMessage, versions: readonly string[]): void {
  const version = headers['mcp-protocol-version'] as string | undefined;
  if (version !== undefined && !versions.includes(version)) {
    throw new InvalidMessage(`This protocol version is not served; served are ${versions.join(', ')}.`);
  }
}
