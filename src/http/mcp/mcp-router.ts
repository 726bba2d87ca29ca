import { Router } from 'express';
import { readJson } from '#http/read-json.ts';
import type { HttpContext } from '#http/http-context.ts';
import { TransportError } from '#http/problem.ts';
import { MCP_PATH } from './mcp-path.ts';
import { createMessageHandler } from './message-handler.ts';

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
