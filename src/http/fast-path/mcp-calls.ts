import type { ServerResponse } from 'node:http';
import { parseJson, readBody } from '#http/guards/body.ts';
import type { FastHandler, HttpContext } from '#http/context/http-context.ts';
import type { RpcResponse } from '#tool/cached-result.ts';
import { acceptsJson, createMessageHandler } from '#http/mcp/message-handler.ts';
import { listMcpEndpoints } from '#http/mcp/mcp-path.ts';
import { joinHeaders } from '#http/responses/reply.ts';
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
      { endpoint, answerMessage: createMessageHandler(endpoint) },
    ]),
  );
  const middlewareHeaders = new Map(Object.entries(commonMcpHeaders)) as Map<string, string>;

  const sendRead = (response: ServerResponse, { before, after }: RpcResponse): void => {
    const end = Buffer.from(after);
    const headers = joinHeaders(commonMcpHeaders, {
      'Cache-Control': 'no-store',
      'content-type': 'application/json',
      'content-length': before.length + end.length,
    });
    response.writeHead(200, headers).write(before);
    response.end(end);
  };

  return (request, response) => {
    const { url = '', headers } = request;
    const found = endpoints.get(url);
    // A request with Origin needs CORS headers that name the origin.
    if (found === undefined || headers.origin !== undefined) return false;
    if (!hasJsonBody(headers)) return false;
    const { endpoint, answerMessage } = found;
    withRateLimit(request, response, async () => {
      const caller = readDroppableCaller(request, response);
      const message = parseJson(await readBody(request));
      const call = acceptsJson(headers.accept) ? endpoint.readCall(message, headers, caller) : undefined;
      if (call === undefined) {
        response.setHeaders(middlewareHeaders);
        await answerMessage(request, response, message, caller);
      } else {
        sendRead(response, await call());
      }
    });
    return true;
  };
}
