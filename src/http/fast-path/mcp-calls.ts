import type { ServerResponse } from 'node:http';
import { parseJson, readBody } from '#http/body/json-body.ts';
import type { HttpContext } from '#http/context/http-context.ts';
import type { RpcResponse } from '#http/options/app-options.ts';
import { acceptsJson } from '#http/mcp/accept.ts';
import { MCP_PATH } from '#http/mcp/mcp-path.ts';
import { createMessageHandler } from '#http/mcp/message-handler.ts';
import { joinHeaders } from '#http/responses/reply.ts';
import type { FastHandler } from './fast-handler.ts';
import { hasPlainJsonBody } from './writes.ts';

/** Serves MCP messages: well-formed reads without an SDK. */
export function createMcpHandler({
  options: { mcp },
  commonMcpHeaders,
  readDroppableCaller,
  withRateLimit,
}: HttpContext): FastHandler {
  const answerMessage = createMessageHandler(mcp);
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
    const { url, headers } = request;
    // A request with Origin needs CORS headers that name the origin.
    if (url !== MCP_PATH || headers.origin !== undefined) return false;
    if (!hasPlainJsonBody(headers)) return false;
    withRateLimit(request, response, async () => {
      const caller = readDroppableCaller(request, response);
      const message = parseJson(await readBody(request));
      const call = acceptsJson(headers.accept) ? mcp.readCall(message, headers, caller) : undefined;
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
