import type { RequestListener, ServerResponse } from 'node:http';
import { ParsedBody, parseJson, readAll } from '#http/json-body.ts';
import type { HttpContext } from '#http/http-context.ts';
import type { RpcResponse } from '#http/app-options.ts';
import { acceptsJson } from '#http/mcp/accept.ts';
import { MCP_PATH } from '#http/mcp/mcp-path.ts';
import { TransportError } from '#http/problem.ts';
import { settle } from '#tool/maybe-promise.ts';
import type { FastHandler } from './fast-handler.ts';
import { hasPlainJsonBody } from './writes.ts';

/** A call that reads is short. */
const MAX_BODY_BYTES = 4096;

/** Answers MCP calls that only read and are well-formed in every part; an SDK judges all others. */
export function createMcpHandler(context: HttpContext, express: RequestListener): FastHandler {
  const {
    options: { mcp },
    mcpCommon,
    admit,
    fail,
  } = context;

  const send = (response: ServerResponse, { before, after }: RpcResponse): void => {
    const end = Buffer.from(after);
    response.writeHead(200, {
      ...mcpCommon,
      'Cache-Control': 'no-store',
      'content-type': 'application/json',
      'content-length': before.length + end.length,
    });
    response.write(before);
    response.end(end);
  };

  return (request, response) => {
    const { url, headers } = request;
    // CORS answers a page's origin by name.
    if (url !== MCP_PATH || headers.origin !== undefined || !acceptsJson(headers.accept)) return false;
    if (!hasPlainJsonBody(headers, MAX_BODY_BYTES)) return false;
    const failed = (error: unknown): void => {
      fail(request, response, error);
    };
    readAll(
      request,
      (bytes) => {
        const message = tryParseJson(bytes);
        const call = message === undefined ? undefined : mcp.readCall(message, headers);
        if (call !== undefined) {
          admit(request, response, () => {
            settle(
              call,
              (answer) => {
                send(response, answer);
              },
              failed,
            );
          });
          return;
        }
        // Express finds the body read, and parsed where it is JSON.
        Object.assign(request, { body: message === undefined ? bytes : new ParsedBody(message) });
        express(request, response);
      },
      failed,
    );
    return true;
  };
}

/** @returns undefined for what Express has to refuse */
function tryParseJson(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof TransportError) return undefined;
    throw error;
  }
}
