import type { createMcpHandler, ServerEventBus } from '@modelcontextprotocol/server';
import type { Caller } from '#workspace/caller.ts';
import { ProtocolError } from '#mcp/errors.ts';
import type { McpHandlers } from '#mcp/handlers.ts';
import { ResourceWatcher } from '#mcp/resource-watcher.ts';
import { subscribedUris, toErrorMessage } from '#mcp/subscriptions.ts';
import type { RpcRequest } from '#mcp/transport/json-rpc.ts';
import { MAX_STREAMS_PER_NETWORK, StreamLimiter } from '#mcp/transport/stream-limit.ts';
import type { McpHttpResponse } from '#mcp/transport/transport.ts';
import { toMcpHttpResponse } from './web-request.ts';

type Handler = ReturnType<typeof createMcpHandler>;

/**
 * Serves `subscriptions/listen` over HTTP. Each stream has a handler of the SDK of its own, and so an event
 * bus of its own that carries only the URIs of its subscription: the one bus of a shared handler would offer
 * every change to every stream.
 */
export class ListenStreams {
  readonly #handlers: McpHandlers;
  readonly #createHandler: (bus: ServerEventBus) => Handler;
  readonly #limiter: StreamLimiter;
  readonly #watcher: ResourceWatcher;
  /** The handlers of the open streams. */
  readonly #open = new Set<Handler>();

  constructor(handlers: McpHandlers, createHandler: (bus: ServerEventBus) => Handler, maxStreams: number) {
    this.#handlers = handlers;
    this.#createHandler = createHandler;
    this.#limiter = new StreamLimiter({ total: maxStreams, perNetwork: MAX_STREAMS_PER_NETWORK });
    this.#watcher = new ResourceWatcher(handlers);
  }

  /**
   * @returns the stream, or the JSON-RPC error of a subscription that names too many resources or unknown
   * ones
   * @throws WorkspaceError rate_limited
   */
  async open(request: Request, message: RpcRequest, caller: Caller): Promise<McpHttpResponse> {
    try {
      const uris = subscribedUris(message.params, this.#handlers);
      return await this.#listen(request, message, uris, this.#limiter.acquire(caller));
    } catch (error) {
      if (error instanceof ProtocolError)
        return { status: 200, body: JSON.stringify(toErrorMessage(message, error)) };
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((handler) => handler.close()));
  }

  /** The SDK unsubscribes from the bus when the stream ends for any reason, which also calls `release`. */
  async #listen(
    request: Request,
    message: RpcRequest,
    uris: ReadonlySet<string>,
    release: () => void,
  ): Promise<McpHttpResponse> {
    const handler = this.#createHandler({
      publish: () => undefined,
      subscribe: (listener) => {
        this.#open.add(handler);
        const unsubscribe = this.#watcher.subscribe(uris, (uri) => {
          listener({ kind: 'resource_updated', uri });
        });
        return () => {
          unsubscribe();
          this.#open.delete(handler);
          release();
        };
      },
    });
    try {
      return await toMcpHttpResponse(await handler.fetch(request, { parsedBody: message }));
    } finally {
      // The SDK refused the request, or the stream has ended already.
      if (!this.#open.has(handler)) release();
    }
  }
}
