import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/caller.ts';
import type { McpHttpResponse, SdkHttpHandler } from './transport.ts';
import { isMessage, namesRevision, type Message } from './json-rpc.ts';
import { NotificationQueue } from './notification-queue.ts';
import type { ReadCall } from '#mcp/fast-path/read-calls.ts';
import { LISTEN } from '#mcp/versions.ts';

/** The SDKs to serve. */
export interface HttpSdks {
  readonly protocolVersions: readonly string[];
  /** Serves well-formed reads without an SDK. */
  readonly readCall: (message: unknown, headers: IncomingHttpHeaders) => ReadCall | undefined;
  /** @returns the handlers, in the order in which each may take a request */
  readonly load: () => Promise<readonly SdkHttpHandler[]>;
}

/**
 * MCP over Streamable HTTP, for the HTTP app to mount. It holds no session: any instance can serve any
 * request, also after a restart. The first request that needs an SDK loads them.
 */
export function createMcpEndpoint({ protocolVersions, readCall, load }: HttpSdks) {
  let loading: Promise<readonly SdkHttpHandler[]> | undefined;
  return {
    protocolVersions,
    isMessage,
    namesRevision,
    isStream: (message: Message): boolean => 'method' in message && message.method === LISTEN,
    readCall,
    async handle(
      request: IncomingMessage,
      response: ServerResponse,
      message: Message,
      caller: Caller,
    ): Promise<void> {
      const clientClosed = new AbortController();
      response.once('close', () => {
        clientClosed.abort();
      });
      for (const sdk of await (loading ??= load())) {
        const reply = await sdk.handle({ request, message, caller, clientClosed: clientClosed.signal });
        if (reply !== undefined) return send(reply, response);
      }
    },
    close: async (): Promise<void> => {
      for (const sdk of (await loading) ?? []) await sdk.close();
    },
  };
}

async function send({ status, headers, body }: McpHttpResponse, response: ServerResponse): Promise<void> {
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
