import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { JSONRPCMessageSchema, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '#workspace/caller.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connect } from './server.ts';

/**
 * MCP over streamable HTTP, for the HTTP house to put behind its door. Nothing is kept from one request to the next, so
 * it works after a restart, and any instance can answer any request.
 */
export function mcpEndpointOf(connect: Connect) {
  return {
    protocolVersions: SUPPORTED_PROTOCOL_VERSIONS,
    isMessage: (body: unknown): boolean => JSONRPCMessageSchema.safeParse(body).success,
    async handle(request: IncomingMessage, response: ServerResponse, body: unknown, caller: Caller): Promise<void> {
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = await connect(transport, caller);
      response.on('close', () => void server.close());
      await transport.handleRequest(request, response, body);
    },
  };
}
