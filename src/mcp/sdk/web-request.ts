import type { IncomingMessage } from 'node:http';
import type { McpHttpResponse } from '#mcp/transport/transport.ts';

/** Creates a web request with headers only, since the body is parsed already. */
export function toWebRequest(
  { method = 'POST', url = '/', headers }: IncomingMessage,
  signal: AbortSignal,
): Request {
  // The HTTP app has checked both headers. The SDK refuses wildcards in Accept, with its own error text.
  const checked = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const fields = Object.entries({ ...headers, ...checked }).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  );
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: fields, signal });
}

/** Converts a web response. Its body is a stream if it is `text/event-stream`, otherwise text. */
export async function toMcpHttpResponse(response: Response): Promise<McpHttpResponse> {
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers);
  if (body === null) return { status, headers };
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  return { status, headers, body: isStream ? body : await response.text() };
}
