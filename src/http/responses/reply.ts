import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A complete response, for Express and the fast path alike. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

export type FailedRequest = Pick<IncomingMessage, 'url' | 'headers'>;

/** Converts any thrown error to a response. */
export type FailureReply = (thrown: unknown, request: FailedRequest) => Reply;

/** @param commonHeaders those of the header middleware, for a response that has not passed it */
export function sendReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  commonHeaders: OutgoingHttpHeaders = {},
): void {
  const length = { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, joinHeaders(commonHeaders, headers, length)).end(body);
}

/** Spreads into one object of 20 headers would take ten times as long, and make it slower to send. */
export function joinHeaders(...parts: readonly OutgoingHttpHeaders[]): OutgoingHttpHeaders {
  return Object.assign({}, ...parts) as OutgoingHttpHeaders;
}
