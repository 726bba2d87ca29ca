import type { IncomingMessage } from 'node:http';
import {
  classifyInboundRequest,
  createMcpHandler,
  McpServer,
  ProtocolErrorCode,
  type McpServerFactory,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#workspace/service/caller.ts';
import { CACHE_HINTS, STATIC_HINT, PER_REQUEST_VERSION, headersMatchBody } from '#mcp/protocol/revisions.ts';
import type { McpHandlers } from '#mcp/handlers/handlers.ts';
import { ResourceWatcher } from '#mcp/handlers/resource-watcher.ts';
import { isListen, readSubscription } from '#mcp/handlers/subscriptions.ts';
import { isInitialize, isRequest, namesRevision, type Message } from '#mcp/protocol/json-rpc.ts';
import type { StreamLimiter } from '#mcp/transport/stream-limit.ts';
import type { ConnectTransport, SdkHttpHandler } from '#mcp/transport/transport.ts';
import { jsonSchemaValidator } from './json-schema-validator.ts';
import { createListenStreams } from './listen-streams.ts';
import { MultiplexedTransport } from './multiplexed-transport.ts';
import { toMcpHttpResponse, toWebRequest } from './web-request.ts';
import type { Params } from '#mcp/protocol/methods.ts';

const CAPABILITIES = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} };

const MISSING_CAPABILITY: number = ProtocolErrorCode.MissingRequiredClientCapability;

/** Subscriptions of one connection. Each can name up to 100 resources. */
const MAX_SUBSCRIPTIONS = 50;

/** The event bus of the handler that serves no stream. It has no events. */
const SILENT_BUS: ServerEventBus = { publish: () => undefined, subscribe: () => () => undefined };

interface Options {
  readonly streamLimiter: StreamLimiter;
  readonly report: (error: Error) => void;
}

/** Serves the revision without a handshake, 2026-07-28, with SDK v2. */
export function createSdkV2HttpHandler(
  handlers: McpHandlers,
  { streamLimiter, report }: Options,
): SdkHttpHandler {
  const contexts = new WeakMap<Request, { caller: Caller; method: string }>();
  const makeServer: McpServerFactory = ({ requestInfo }) => {
    const context = requestInfo && contexts.get(requestInfo);
    if (context === undefined) throw new Error('the request has no caller');
    const server = createServer(handlers, () => context.caller);
    // Without a fallback the SDK answers an unknown method with its own 404.
    if (!handlers.handles(context.method)) delete server.server.fallbackRequestHandler;
    return server;
  };
  const createHandler = (bus: ServerEventBus) =>
    createMcpHandler(makeServer, { legacy: 'reject', bus, onerror: report });
  const handler = createHandler(SILENT_BUS);
  const streams = createListenStreams(handlers, createHandler, streamLimiter);

  // Creating a server, a web request and a web response for each call would double its time.
  const shared = new MultiplexedTransport();
  serveStdio(() => createServer(handlers, (id) => shared.requireCaller(id)), {
    legacy: 'reject',
    transport: shared,
  });

  return {
    handle: async ({ request, message, caller, clientClosed }) => {
      const version = request.headers['mcp-protocol-version'] as string | undefined;
      // Requests of older revisions need no classification.
      const isOlder = version === undefined || version < PER_REQUEST_VERSION || isInitialize(message);
      if (!namesRevision(message) && isOlder) return undefined;
      const { kind } = classify(request, message);
      if (kind === 'legacy') return undefined;
      if (
        kind === 'modern' &&
        isRequest(message) &&
        handlers.handles(message.method) &&
        headersMatchBody(request.headers, message)
      ) {
        const response = await shared.request(message, caller);
        return { status: responseStatus(response), body: JSON.stringify(response) };
      }
      const webRequest = toWebRequest(request, clientClosed);
      contexts.set(webRequest, { caller, method: 'method' in message ? message.method : '' });
      if (isListen(message)) return streams.open(webRequest, message, caller);
      return toMcpHttpResponse(await handler.fetch(webRequest, { parsedBody: message }));
    },
    close: async () => {
      await Promise.all([handler.close(), streams.close()]);
    },
  };
}

export function connectSdkV2(handlers: McpHandlers): ConnectTransport {
  return async (transport, caller) => {
    const watcher = new ResourceWatcher(handlers);
    /**
     * Functions that end the watches, by URI. A watch outlives its subscription: the SDK drops notifications
     * that no subscription names.
     */
    const ends = new Map<string, () => void>();
    let notify: ((uri: string) => void) | undefined;
    const watch = ([uri, rootUri]: [string, string]): void => {
      if (ends.has(uri)) return;
      ends.set(
        uri,
        watcher.subscribe(new Map([[uri, rootUri]]), (changed) => notify?.(changed)),
      );
    };
    const connection = serveStdio(
      () => {
        const server = createServer(handlers, () => caller, { canWait: true });
        notify ??= (uri) => void server.server.sendResourceUpdated({ uri });
        server.server.onclose = () => {
          for (const end of ends.values()) end();
        };
        return server;
      },
      { legacy: 'reject', transport, maxSubscriptions: MAX_SUBSCRIPTIONS },
    );
    const { onmessage } = transport;
    const receive = async (message: Message): Promise<void> => {
      const read = isListen(message) ? await readSubscription(message, handlers) : { uris: new Map() };
      if ('error' in read) {
        await transport.send(read.error);
        return;
      }
      for (const entry of read.uris) watch(entry);
      onmessage?.(message);
    };
    // Later messages wait while a subscription is checked, since one of them may cancel it.
    let checking: Promise<void> | undefined;
    transport.onmessage = (message: Message) => {
      if (checking === undefined && !isListen(message)) {
        onmessage?.(message);
        return;
      }
      const received = (checking ?? Promise.resolve()).then(() => receive(message));
      const next = received
        .catch((error: unknown) => transport.onerror?.(error as Error))
        .finally(() => {
          if (checking === next) checking = undefined;
        });
      checking = next;
    };
    return () => connection.close();
  };
}

/**
 * @param findCaller returns the caller of the request with this id
 * @param options.canWait whether a request may stay in the server while it waits
 */
function createServer(
  handlers: McpHandlers,
  findCaller: (id: unknown) => Caller,
  { canWait = false } = {},
): McpServer {
  const { info, instructions } = handlers;
  const mcp = new McpServer(info, {
    instructions,
    cacheHints: { 'server/discover': STATIC_HINT },
    jsonSchemaValidator,
  });
  // Capabilities given to the constructor would install the SDK's own handlers.
  mcp.server.registerCapabilities(CAPABILITIES);
  mcp.server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => ({
    ...(await handlers.handle(
      method,
      toSentParams(params, mcpReq),
      findCaller(mcpReq.id),
      canWait ? mcpReq.signal : undefined,
    )),
    ...CACHE_HINTS[method],
  });
  return mcp;
}

/** 200 for every error of a handler, except for a capability that the client did not declare (SEP-2575). */
function responseStatus(response: Message): number {
  return 'error' in response && response.error.code === MISSING_CAPABILITY ? 400 : 200;
}

/** Classifies a request with the function that the SDK uses before it serves it. */
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

/** The members that SDK v2 removes from the parameters of a request. */
interface Lifted {
  /**
   * Members of `_meta` that every request of the revision has, such as the capabilities of the client
   * (SEP-2575).
   */
  readonly envelope?: object;
  /**
   * The client's answers to an earlier result of the type `input_required` (SEP-2322), without malformed
   * ones.
   */
  readonly inputResponses?: object;
  /**
   * @returns the state of the earlier result as the client sent it back, so it may be forged; undefined
   * without one
   */
  readonly requestState: () => unknown;
}

/** Restores the parameters as the client sent them, so that the handler of the request gets all of them. */
export function toSentParams(params: Params, { envelope, inputResponses, requestState }: Lifted): Params {
  const state = requestState();
  return {
    ...params,
    ...(envelope && { _meta: { ...(params['_meta'] as object | undefined), ...envelope } }),
    ...(inputResponses && { inputResponses }),
    ...(state !== undefined && { requestState: state }),
  };
}
