import type { IncomingMessage } from 'node:http';
import {
  classifyInboundRequest,
  createMcpHandler,
  McpServer,
  type McpServerFactory,
  type ServerEventBus,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#workspace/caller.ts';
import { CACHE_HINTS, STATIC_HINT } from '#mcp/cache-hints.ts';
import type { McpHandlers } from '#mcp/handlers.ts';
import { NAMED_PARAMETER } from '#mcp/fast-path/plain-call.ts';
import { LISTEN, PER_REQUEST_VERSION } from '#mcp/versions.ts';
import type { ConnectTransport, McpHttpResponse, SdkHttpHandler } from '#mcp/transport/transport.ts';
import { MultiplexedTransport } from './multiplexed-transport.ts';
import { isRequest, namesRevision, type Message, type Request as Asked } from '#mcp/transport/json-rpc.ts';
import { ProtocolError } from '#mcp/errors.ts';
import { ResourceWatcher } from '#mcp/resource-watcher.ts';
import { MAX_STREAMS_PER_NETWORK, StreamLimiter } from '#mcp/transport/stream-limit.ts';
import { subscribedUris } from '#mcp/subscription-uris.ts';
import { toMcpHttpResponse, toWebRequest } from './web-request.ts';

const CAPABILITIES = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} };

interface Limits {
  /** How many streams of notifications there may be, all networks together. */
  readonly maxStreams: number;
  readonly report: (error: Error) => void;
}

/** The era without a handshake, where each request names its revision: 2026-07-28, by version 2 of the SDK. */
export function createSdkV2HttpHandler(
  catalogue: McpHandlers,
  { maxStreams, report }: Limits,
): SdkHttpHandler {
  const asking = new WeakMap<Request, { caller: Caller; method: string }>();
  const streams = new StreamLimiter({ total: maxStreams, perNetwork: MAX_STREAMS_PER_NETWORK });
  const watcher = new ResourceWatcher(catalogue);
  const makeServer: McpServerFactory = ({ requestInfo }) => {
    const request = requestInfo && asking.get(requestInfo);
    if (request === undefined) throw new Error('a request came without its caller');
    const server = createServer(catalogue, () => request.caller);
    // Without a fallback the SDK answers an unknown method with its own 404.
    if (!catalogue.handles(request.method)) delete server.server.fallbackRequestHandler;
    return server;
  };
  const handlerOn = (bus: ServerEventBus) =>
    createMcpHandler(makeServer, { legacy: 'reject', bus, onerror: report });
  const handler = handlerOn(SILENT_BUS);
  const listening = new Set<ReturnType<typeof handlerOn>>();

  /**
   * Each stream has a handler of its own, and so a bus of its own that carries only the URIs of its subscription: the one bus
   * of a shared handler would offer every change to every stream. The SDK ends its subscription to the bus when the stream
   * ends for whatever reason, which also gives back the place of the network.
   */
  async function listen(asked: Request, message: Asked, caller: Caller): Promise<McpHttpResponse> {
    const uris = subscribedUris(message.params, catalogue);
    const release = streams.acquire(caller);
    const stream = handlerOn({
      publish: () => undefined,
      subscribe: (listener) => {
        listening.add(stream);
        const unsubscribe = watcher.subscribe(uris, (uri) => {
          listener({ kind: 'resource_updated', uri });
        });
        return () => {
          unsubscribe();
          listening.delete(stream);
          release();
        };
      },
    });
    try {
      return await toMcpHttpResponse(await stream.fetch(asked, { parsedBody: message }));
    } finally {
      // Refused, or ended at once.
      if (!listening.has(stream)) release();
    }
  }

  // A server and the web's own requests and answers for each call would take twice the time of the call.
  const exchange = new MultiplexedTransport();
  serveStdio(() => createServer(catalogue, (id) => exchange.callerOf(id)), {
    legacy: 'reject',
    transport: exchange as Transport,
  });

  return {
    handle: async ({ request, message, caller, clientClosed }) => {
      const version = request.headers['mcp-protocol-version'] as string | undefined;
      // Plain to see.
      if (!namesRevision(message) && (version === undefined || version < PER_REQUEST_VERSION))
        return undefined;
      const { kind } = classify(request, message);
      if (kind === 'legacy') return undefined;
      if (
        kind === 'modern' &&
        isRequest(message) &&
        catalogue.handles(message.method) &&
        headersMatchBody(request, message)
      ) {
        return { status: 200, body: JSON.stringify(await exchange.request(message, caller)) };
      }
      const asked = toWebRequest(request, clientClosed);
      asking.set(asked, { caller, method: 'method' in message ? message.method : '' });
      if (!isListen(message)) return toMcpHttpResponse(await handler.fetch(asked, { parsedBody: message }));
      try {
        return await listen(asked, message, caller);
      } catch (error) {
        if (error instanceof ProtocolError)
          return { status: 200, body: JSON.stringify(toRpcError(message, error)) };
        throw error;
      }
    },
    close: async () => {
      await Promise.all([handler, ...listening].map((one) => one.close()));
    },
  };
}

/** The same over a connection. */
export function connectSdkV2(catalogue: McpHandlers): ConnectTransport {
  return async (channel, caller) => {
    let unwatch: (() => void) | undefined;
    serveStdio(
      () => {
        const server = createServer(catalogue, () => caller);
        // The SDK drops notifications that no subscription names.
        unwatch ??= catalogue.watchResources((uri) => void server.server.sendResourceUpdated({ uri }));
        server.server.onclose = () => {
          unwatch?.();
        };
        return server;
      },
      { legacy: 'reject', transport: channel as Transport, maxSubscriptions: MAX_STREAMS_PER_NETWORK },
    );
    const { onmessage } = channel;
    channel.onmessage = (message: Message) => {
      const refusal = isListen(message) ? subscriptionError(message, catalogue) : undefined;
      if (refusal === undefined) onmessage?.(message as never);
      else void channel.send(refusal);
    };
  };
}

const isListen = (message: Message): message is Asked => isRequest(message) && message.method === LISTEN;

/** @returns the answer to a `subscriptions/listen` that names too many resources or unknown ones */
function subscriptionError(message: Asked, catalogue: McpHandlers): Message | undefined {
  try {
    subscribedUris(message.params, catalogue);
    return undefined;
  } catch (error) {
    if (error instanceof ProtocolError) return toRpcError(message, error);
    throw error;
  }
}

function toRpcError({ id }: Asked, { code, message, data }: ProtocolError): Message {
  return { jsonrpc: '2.0', id, error: { code, message, data } };
}

/** @param callerOf who asked, by the id of what was asked */
function createServer(catalogue: McpHandlers, callerOf: (id: unknown) => Caller): McpServer {
  const { info, instructions } = catalogue;
  const mcp = new McpServer(info, { instructions, cacheHints: { 'server/discover': STATIC_HINT } });
  // Told to the constructor, they would bring the SDK's own handlers.
  mcp.server.registerCapabilities(CAPABILITIES);
  mcp.server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => ({
    ...(await catalogue.handle(method, params, callerOf(mcpReq.id))),
    ...CACHE_HINTS[method],
  });
  return mcp;
}

/** Of the handler that serves no stream. */
const SILENT_BUS: ServerEventBus = { publish: () => undefined, subscribe: () => () => undefined };

/** What the SDK makes of a request before it serves it. */
function classify({ headers }: IncomingMessage, body: Message) {
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = [
    'mcp-protocol-version',
    'mcp-method',
    'mcp-name',
  ].map((name) => headers[name] as string | undefined);
  return classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
  });
}

/** Whether the headers repeat the message letter by letter; every other way to write them is for the SDK to read. */
function headersMatchBody({ headers }: IncomingMessage, { method, params }: Asked): boolean {
  const name = params?.[NAMED_PARAMETER[method] ?? ''];
  return (
    headers['mcp-protocol-version'] === PER_REQUEST_VERSION &&
    headers['mcp-method'] === method &&
    headers['mcp-name'] === name &&
    !String(name).startsWith('=')
  );
}
