import type { ServerResponse } from 'node:http';
import { NotificationQueue } from './notification-queue.ts';
import type { McpHttpResponse } from './transport.ts';

/** Sends a response, and settles when its body has ended. */
export async function sendMcpResponse(
  { status, headers, body }: McpHttpResponse,
  response: ServerResponse,
): Promise<void> {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  if (typeof body === 'string') {
    const length = Buffer.byteLength(body);
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': length })
      .end(body);
    return;
  }
  await stream(body, response.writeHead(status, headers));
}

/**
 * Cancels the body when the response closes. The signal of the web `Request` is not enough: once the request
 * is garbage collected it no longer follows the signal (nodejs/undici#3644), and the subscription would stay
 * open.
 */
async function stream(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => {
    reader.cancel().catch(() => undefined);
  };
  response.once('close', cancel);
  // A response that closed earlier does not emit `close` again.
  if (response.destroyed) cancel();
  const notifications = new NotificationQueue(response);
  const decoder = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    notifications.write(decoder.decode(read.value, { stream: true }));
  response.end();
}
