import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';

/** Middleware that only sets headers, and runs without Express. */
export type HeaderMiddleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Records header names in their original case, since `getHeaders()` returns them in lower case. */
class RecordingResponse extends ServerResponse {
  readonly recorded: OutgoingHttpHeaders = {};

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.recorded[name] = typeof value === 'object' ? [...value] : value;
    return super.setHeader(name, value);
  }
}

/** Records the headers that middleware sets for a request without headers, in the same order. */
export function captureMiddlewareHeaders(
  method: string,
  url: string,
  ...handlers: readonly HeaderMiddleware[]
): OutgoingHttpHeaders {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url });
  const response = new RecordingResponse(request);
  for (const handle of handlers) handle(request, response, () => undefined);
  return response.recorded;
}
