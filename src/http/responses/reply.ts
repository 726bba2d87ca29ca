import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A complete response, for Express and for the fast path. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

export type FailedRequest = Pick<IncomingMessage, 'url' | 'headers'>;

export type FailureReply = (thrown: unknown, request: FailedRequest) => Reply;

/**
 * Sends a reply.
 * @param commonHeaders the headers of the middleware, for a response that has not passed it
 */
export function sendReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  commonHeaders: OutgoingHttpHeaders = {},
): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, joinHeaders(commonHeaders, headers, length)).end(body);
}

/**
 * Joins headers. `Object.assign` is ten times as fast as spreading 20 headers, and its result is faster to
 * send.
 */
export function joinHeaders(...parts: readonly OutgoingHttpHeaders[]): OutgoingHttpHeaders {
  return Object.assign({}, ...parts) as OutgoingHttpHeaders;
}
