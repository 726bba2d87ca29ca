import type { IncomingMessage } from 'node:http';
import {
  classifyInboundRequest,
  createMcpHandler,
  McpServer,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { CACHE_HINTS, STATIC_HINT, STATELESS_VERSION, headersMatchBody } from '#mcp/protocol/revisions.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { createResourceWatcher, isListen, readSubscription } from '#mcp/handlers/subscriptions.ts';
import { toCall } from '#mcp/protocol/call.ts';
import {
  isInitialize,
  isRequest,
  type Message,
  namesRevision,
  type RpcRequest,
} from '#mcp/protocol/json-rpc.ts';
import type { ConnectTransport, SdkHttpHandler, SdkHttpResponse } from './sdk-types.ts';
import { CAPABILITIES_WITH_SUBSCRIPTIONS, jsonSchemaValidator } from '#mcp/handlers/initialize.ts';
import { watchClosing } from '#tool/run-read.ts';
import type { Caller } from '#workspace/service/caller.ts';

/** The event bus of the handler that serves no streams. It never has events. */
const SILENT_BUS: ServerEventBus = { publish: () => undefined, subscribe: () => () => undefined };

export interface HttpSdkOptions {
  /** Reserves a stream, and returns a function that releases it. @throws WorkspaceError rate_limited */
  readonly acquireStream: (caller: Caller) => () => void;
  readonly report: (error: Error) => void;
}

/** Validates messages of the revision without a handshake, 2026-07-28, with SDK v2. */
export function createSdkV2HttpHandler(
  handlers: McpHandlers,
  { acquireStream, report }: HttpSdkOptions,
): SdkHttpHandler {
  /** The requests for methods that `McpHandlers` handles, and whether the SDK has accepted them. */
  const validations = new WeakMap<Request, { isAccepted: boolean }>();
  const makeServer: McpServerFactory = ({ requestInfo }) => {
    const validation = requestInfo && validations.get(requestInfo);
    const server = createServer(handlers);
    // Without a fallback the SDK responds to an unknown method with its own 404.
    if (validation !== undefined) {
      server.server.fallbackRequestHandler = async () => {
        validation.isAccepted = true;
        return {};
      };
    }
    return server;
  };
  const createHandler = (bus: ServerEventBus) =>
    createMcpHandler(makeServer, { legacy: 'reject', bus, onerror: report });
  const handler = createHandler(SILENT_BUS);
  const streams = createListenStreams(handlers, createHandler, acquireStream);

  return {
    validate: async (message, { request, response: nodeResponse, caller }) => {
      const version = request.headers['mcp-protocol-version'] as string | undefined;
      // Requests of older revisions need no classification.
      const isOlder = version === undefined || version < STATELESS_VERSION || isInitialize(message);
      if (!namesRevision(message) && isOlder) return undefined;
      const { kind } = classify(request, message);
      if (kind === 'legacy') return undefined;
      const call = isRequest(message) && handlers.handles(message.method) ? toCall(message, true) : undefined;
      if (kind === 'modern' && call !== undefined && headersMatchBody(request.headers, call)) return { call };
      const webRequest = toWebRequest(request, watchClosing(nodeResponse));
      if (isListen(message)) return { response: await streams.open(webRequest, message, caller) };
      const validation = { isAccepted: false };
      if (call !== undefined) validations.set(webRequest, validation);
      const response = await handler.fetch(webRequest, { parsedBody: message });
      if (call !== undefined && validation.isAccepted) return { call };
      return { response: await toSdkHttpResponse(response) };
    },
    close: async () => {
      await Promise.all([handler.close(), streams.close()]);
    },
  };
}

export function connectSdkV2(handlers: McpHandlers): ConnectTransport {
  return async (transport, caller) => {
    const watch = createResourceWatcher(handlers);
    /** Functions that end watches, by URI. Watches outlive subscriptions; the SDK filters notifications. */
    const ends = new Map<string, () => void>();
    let notify: ((uri: string) => void) | undefined;
    const connection = serveStdio(
      () => {
        const server = createServer(handlers);
        server.server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => ({
          ...(await handlers.run(method, params, caller, mcpReq.signal)),
          ...CACHE_HINTS[method],
        });
        notify ??= (uri) => void server.server.sendResourceUpdated({ uri });
        server.server.onclose = () => {
          for (const end of ends.values()) end();
        };
        return server;
      },
      // `maxSubscriptions` is per connection. Each subscription can name up to 100 resources.
      { legacy: 'reject', transport, maxSubscriptions: 50 },
    );
    const { onmessage } = transport;
    const receive = async (message: Message): Promise<void> => {
      if (isListen(message)) {
        const read = await readSubscription(message, handlers);
        if ('error' in read) return transport.send(read.error);
        const send = (changed: string): void => notify?.(changed);
        for (const [uri, rootUri] of read.uris) if (!ends.has(uri)) ends.set(uri, watch(uri, rootUri, send));
      }
      onmessage?.(message);
    };
    // Later messages wait while a subscription is checked, because one of them may cancel it.
    let received = Promise.resolve();
    transport.onmessage = (message: Message) => {
      received = received
        .then(() => receive(message))
        .catch((error: unknown) => transport.onerror?.(error as Error));
    };
    return () => connection.close();
  };
}

function createServer({ info, instructions }: McpHandlers): McpServer {
  const mcp = new McpServer(info, {
    instructions,
    cacheHints: { 'server/discover': STATIC_HINT },
    jsonSchemaValidator,
  });
  // Capabilities given to the constructor would install the SDK's own handlers.
  mcp.server.registerCapabilities(CAPABILITIES_WITH_SUBSCRIPTIONS);
  return mcp;
}

const CLASSIFYING_HEADERS = {
  protocolVersionHeader: 'mcp-protocol-version',
  mcpMethodHeader: 'mcp-method',
  mcpNameHeader: 'mcp-name',
};

/** Classifies a request with the SDK's own function. */
function classify({ headers }: IncomingMessage, body: Message) {
  const sent = Object.entries(CLASSIFYING_HEADERS).filter(([, header]) => headers[header] !== undefined);
  const values = Object.fromEntries(sent.map(([name, header]) => [name, headers[header]]));
  return classifyInboundRequest({ httpMethod: 'POST', body, ...values });
}

type SdkHandler = ReturnType<typeof createMcpHandler>;

/**
 * Serves `subscriptions/listen` over HTTP. Each stream has its own SDK handler with a bus for its URIs,
 * because the bus of a shared handler would offer every change to every stream.
 */
function createListenStreams(
  handlers: McpHandlers,
  createHandler: (bus: ServerEventBus) => SdkHandler,
  acquireStream: HttpSdkOptions['acquireStream'],
) {
  const watch = createResourceWatcher(handlers);
  const open = new Set<SdkHandler>();

  return {
    /** @returns the stream, or a JSON-RPC error if the subscription is refused @throws WorkspaceError */
    open: async (request: Request, message: RpcRequest, caller: Caller): Promise<SdkHttpResponse> => {
      const read = await readSubscription(message, handlers);
      if ('error' in read) return { status: 200, body: JSON.stringify(read.error) };
      const release = acquireStream(caller);
      const handler = createHandler({
        publish: () => undefined,
        subscribe: (listener) => {
          open.add(handler);
          const notify = (uri: string): void => {
            listener({ kind: 'resource_updated', uri });
          };
          const ends = Array.from(read.uris, ([uri, rootUri]) => watch(uri, rootUri, notify));
          // The SDK unsubscribes when the stream ends for any reason.
          return () => {
            for (const end of ends) end();
            open.delete(handler);
            release();
          };
        },
      });
      try {
        return await toSdkHttpResponse(await handler.fetch(request, { parsedBody: message }));
      } finally {
        // The SDK refused the request, or the stream has ended already.
        if (!open.has(handler)) release();
      }
    },
    close: async (): Promise<void> => {
      await Promise.all([...open].map((handler) => handler.close()));
    },
  };
}

/** Creates a web request with headers only, because the body is parsed already. */
function toWebRequest(
  { method = 'POST', url = '/', headers }: IncomingMessage,
  signal: AbortSignal,
): Request {
  // The HTTP side has checked both headers. The SDK would refuse wildcards in Accept with its own error text.
  const checked = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const fields = Object.entries({ ...headers, ...checked }).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): [string, string] => [name, text]),
  );
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: fields, signal });
}

/** Converts a web response. Its body is a stream if it is `text/event-stream`, otherwise text. */
async function toSdkHttpResponse(response: Response): Promise<SdkHttpResponse> {
  const { status, body } = response;
  const headers = Object.fromEntries(response.headers);
  if (body === null) return { status, headers };
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  return { status, headers, body: isStream ? body : await response.text() };
}
