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

/** How long a client may read an error before its connection is closed, with its body unread. */
export const LINGER_TIMEOUT_MS = 1000;

/**
 * Sends a reply. The connection ends if the rest of the body may be of any length.
 * @param commonHeaders the headers of the middleware, for a response that has not passed it
 */
export function sendReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  commonHeaders: OutgoingHttpHeaders = {},
): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  const unread = response.req.complete ? {} : response.req.headers;
  const isChunked = unread['transfer-encoding'] !== undefined;
  const all = joinHeaders(commonHeaders, headers, length, isChunked ? { Connection: 'close' } : {});
  const hasBody = isChunked || Number(unread['content-length'] ?? 0) > 0;
  const closes = all['Connection'] !== undefined || response.hasHeader('Connection');
  response.writeHead(status, all);
  if (!hasBody || !closes) {
    response.end(body);
    return;
  }
  // `end` would close the connection, and the kernel would reset it for unread bytes before the client reads.
  response.flushHeaders();
  response.write(body);
  setTimeout(() => {
    response.destroy();
  }, LINGER_TIMEOUT_MS).unref();
}

/**
 * Joins headers. `Object.assign` is ten times as fast as spreading 20 headers, and its result is faster to
 * send.
 */
export function joinHeaders(...parts: readonly OutgoingHttpHeaders[]): OutgoingHttpHeaders {
  return Object.assign({}, ...parts) as OutgoingHttpHeaders;
}
