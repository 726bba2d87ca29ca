import { Router } from 'express';
import { readJson } from '#http/body/read-json.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { TransportError } from '#http/responses/problem.ts';
import { MCP_PATH } from '#http/mcp/mcp-path.ts';
import { createMessageHandler } from '#http/mcp/message-handler.ts';

/** The MCP endpoint: each POST carries one JSON-RPC message. */
export function createMcpRouter({ options: { mcp }, readerOf }: HttpContext): Router {
  const router = Router({ caseSensitive: true });
  const answerMessage = createMessageHandler(mcp);
  router.post(MCP_PATH, ...readJson, (request, response) =>
    answerMessage(request, response, request.body, readerOf(request, response)),
  );
  router.all(MCP_PATH, () => {
    throw new TransportError(
      'method_not_allowed',
      'There is nothing to stream here; send JSON-RPC messages with POST.',
      { Allow: 'POST, OPTIONS' },
    );
  });
  return router;
}
