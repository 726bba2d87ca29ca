import { Router } from 'express';
import { readJson } from '#http/body/read-json.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import { TransportError } from '#http/responses/problem.ts';
import { listMcpEndpoints } from '#http/mcp/mcp-path.ts';
import { createMessageHandler } from '#http/mcp/message-handler.ts';

export function createMcpRouter({ options, readDroppableCaller }: HttpContext): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, endpoint] of listMcpEndpoints(options)) {
    const answerMessage = createMessageHandler(endpoint);
    router.post(path, ...readJson, (request, response) =>
      answerMessage(request, response, request.body, readDroppableCaller(request, response)),
    );
    router.all(path, () => {
      throw new TransportError(
        'method_not_allowed',
        'This address has no stream for GET; send JSON-RPC messages with POST.',
        { Allow: 'POST, OPTIONS' },
      );
    });
  }
  return router;
}
