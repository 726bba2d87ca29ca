import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';

/** Keeps the names of headers as they were set: getHeaders() returns them in lower case. */
class RecordingResponse extends ServerResponse {
  readonly recorded: OutgoingHttpHeaders = {};

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.recorded[name] = typeof value === 'object' ? [...value] : value;
    return super.setHeader(name, value);
  }
}

/** @returns the headers that middleware sets on every response to a plain request, in its order */
export function captureMiddlewareHeaders(
  method: string,
  url: string,
  ...handlers: readonly RequestHandler[]
): OutgoingHttpHeaders {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url });
  const response = new RecordingResponse(request);
  for (const handle of handlers) {
    void handle(request as Request, response as unknown as Response, () => undefined);
  }
  return response.recorded;
}
