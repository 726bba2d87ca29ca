import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A whole response. Express and the fast path send the same one. */
export interface Reply {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
}

/** @param common headers that no middleware has set on this response */
export function sendReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  common: OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { ...common, ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
}
