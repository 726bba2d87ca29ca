import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/caller.ts';
import type { McpHttpResponse, SdkHttpHandler } from './transport.ts';
import { isMessage, namesRevision, type Message } from './json-rpc.ts';
import { NotificationQueue } from './notification-queue.ts';
import type { ReadCall } from '#mcp/fast-path/read-calls.ts';
import { LISTEN } from '#mcp/versions.ts';

/** The eras to serve, and how to come by them. */
export interface HttpSdks {
  readonly protocolVersions: readonly string[];
  /** Answers well-formed calls that only read, without an SDK. */
  readonly readCall: (message: unknown, headers: IncomingHttpHeaders) => ReadCall | undefined;
  /** @returns them in the order in which they are asked whether a request is theirs */
  readonly load: () => Promise<readonly SdkHttpHandler[]>;
}

/**
 * MCP over streamable HTTP, for the HTTP house to put behind its door. Nothing is kept from one request to the next, so
 * it works after a restart, and any instance can answer any request. The SDKs are loaded by the first.
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
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort();
      });
      for (const era of await (loading ??= load())) {
        const answer = await era.handle({ request, message, caller, clientClosed: gone.signal });
        if (answer !== undefined) return send(answer, response);
      }
    },
    close: async (): Promise<void> => {
      for (const era of (await loading) ?? []) await era.close();
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
 * Ends the body as soon as the response closes. A `Request` that was made with a signal stops following it once the garbage
 * collector has taken the request (nodejs/undici#3644), so that signal alone would leave subscriptions behind.
 */
async function stream(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => {
    reader.cancel().catch(() => undefined);
  };
  response.once('close', cancel);
  // It has closed before, and emits `close` no second time.
  if (response.destroyed) cancel();
  const outlet = new NotificationQueue(response);
  const decoder = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    outlet.write(decoder.decode(read.value, { stream: true }));
  response.end();
}
