import type { IncomingMessage } from 'node:http';
import type { McpHttpResponse } from '#mcp/transport/transport.ts';

/** @returns the request with its headers alone: the body is read already */
export function toWebRequest(
  { method = 'POST', url = '/', headers }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  // The Accept header was judged before; the SDK refuses wildcards.
  fields.push(['accept', 'application/json, text/event-stream']);
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: fields, signal });
}

/** @returns the body as a stream if it is one of events, else as text */
export async function toMcpHttpResponse(response: Response): Promise<McpHttpResponse> {
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers);
  if (body === null) return { status, headers };
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  return { status, headers, body: isStream ? body : await response.text() };
}
