import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler, Request, Response } from 'express';

/** @returns the headers that handlers set on the answer to any request, for those who answer without asking them. */
export function headersSetBy(...handlers: RequestHandler[]): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  for (const handle of handlers) void handle(request as Request, response as Response, () => undefined);
  return response.getHeaders();
}
