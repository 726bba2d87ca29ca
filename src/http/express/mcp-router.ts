import { Router } from 'express';
import { readJson } from '#http/body/read-json.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { TransportError } from '#http/responses/problem.ts';
import { MCP_PATH } from '#http/mcp/mcp-path.ts';
import { createMessageHandler } from '#http/mcp/message-handler.ts';

/** The MCP endpoint. Each POST contains one JSON-RPC message. */
export function createMcpRouter({ options: { mcp }, readDroppableCaller }: HttpContext): Router {
  const router = Router({ caseSensitive: true });
  const answerMessage = createMessageHandler(mcp);
  router.post(MCP_PATH, ...readJson, (request, response) =>
    answerMessage(request, response, request.body, readDroppableCaller(request, response)),
  );
  router.all(MCP_PATH, () => {
    throw new TransportError(
      'method_not_allowed',
      'This address has no stream for GET; send JSON-RPC messages with POST.',
      { Allow: 'POST, OPTIONS' },
    );
  });
  return router;
}
