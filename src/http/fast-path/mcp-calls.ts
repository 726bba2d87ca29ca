import { parseJson, readBody } from '#http/guards/body.ts';
import type { FastHandler, HttpContext } from '#http/context/http-context.ts';
import { createMessageHandler } from '#http/mcp/message-handler.ts';
import { listMcpEndpoints } from '#http/mcp/mcp-path.ts';
import { hasJsonBody } from './writes.ts';

export function createMcpHandler({
  options,
  commonMcpHeaders,
  readDroppableCaller,
  withRateLimit,
}: HttpContext): FastHandler {
  const endpoints = new Map(
    listMcpEndpoints(options).map(([path, endpoint]) => [
      path,
      createMessageHandler(endpoint, commonMcpHeaders),
    ]),
  );
  return (request, response) => {
    const { url = '', headers } = request;
    const answerMessage = endpoints.get(url);
    // A request with Origin needs CORS headers that name the origin.
    if (answerMessage === undefined || headers.origin !== undefined || !hasJsonBody(headers)) return false;
    withRateLimit(request, response, async () => {
      const caller = readDroppableCaller(request, response);
      await answerMessage(request, response, parseJson(await readBody(request)), caller);
    });
    return true;
  };
}
