import type { RequestListener, ServerResponse } from 'node:http';
import { ParsedBody, parseJson, readBody } from '#http/json-body.ts';
import type { HttpContext } from '#http/http-context.ts';
import type { RpcResponse } from '#http/app-options.ts';
import { acceptsJson } from '#http/mcp/accept.ts';
import { MCP_PATH } from '#http/mcp/mcp-path.ts';
import { TransportError } from '#http/problem.ts';
import { settle } from '#tool/maybe-promise.ts';
import type { FastHandler } from './fast-handler.ts';
import { hasPlainJsonBody } from './writes.ts';

/** Longer bodies go to Express: a read call is short. */
const MAX_READ_CALL_BYTES = 4096;

/**
 * Serves well-formed MCP reads without an SDK. Other requests go to Express; a body that was read goes along, parsed if it is
 * valid JSON.
 */
export function createMcpHandler(context: HttpContext, express: RequestListener): FastHandler {
  const {
    options: { mcp },
    commonMcpHeaders,
    readerOf,
    withRateLimit,
    sendFailure,
  } = context;

  const send = (response: ServerResponse, { before, after }: RpcResponse): void => {
    const end = Buffer.from(after);
    response.writeHead(200, {
      ...commonMcpHeaders,
      'Cache-Control': 'no-store',
      'content-type': 'application/json',
      'content-length': before.length + end.length,
    });
    response.write(before);
    response.end(end);
  };

  return (request, response) => {
    const { url, headers } = request;
    // A request with Origin needs CORS headers that name the origin.
    if (url !== MCP_PATH || headers.origin !== undefined || !acceptsJson(headers.accept)) return false;
    if (!hasPlainJsonBody(headers, MAX_READ_CALL_BYTES)) return false;
    const failed = (error: unknown): void => {
      sendFailure(request, response, error);
    };
    readBody(
      request,
      (bytes) => {
        const message = tryParseJson(bytes);
        const call =
          message === undefined ? undefined : mcp.readCall(message, headers, readerOf(request, response));
        if (call !== undefined) {
          withRateLimit(request, response, () => {
            settle(
              call,
              (reply) => {
                send(response, reply);
              },
              failed,
            );
          });
          return;
        }
        // express.raw skips a request that was read to its end, and leaves `request.body` as it is.
        Object.assign(request, { body: message === undefined ? bytes : new ParsedBody(message) });
        express(request, response);
      },
      failed,
    );
    return true;
  };
}

/** @returns undefined for a body that Express has to refuse */
function tryParseJson(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof TransportError) return undefined;
    throw error;
  }
}
