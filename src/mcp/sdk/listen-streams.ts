import type { createMcpHandler, ServerEventBus } from '@modelcontextprotocol/server';
import type { Caller } from '#workspace/service/caller.ts';
import type { McpHandlers } from '#mcp/handlers/handlers.ts';
import { readSubscription, ResourceWatcher } from '#mcp/handlers/subscriptions.ts';
import type { RpcRequest } from '#mcp/protocol/json-rpc.ts';
import type { StreamLimiter } from '#mcp/transport/stream-limit.ts';
import type { McpHttpResponse } from '#mcp/transport/transport.ts';
import { toMcpHttpResponse } from './web-request.ts';

type SdkHandler = ReturnType<typeof createMcpHandler>;

/**
 * Serves `subscriptions/listen` over HTTP. Each stream has its own SDK handler, whose event bus carries only
 * the URIs of its subscription. The bus of a shared handler would offer every change to every stream.
 */
export function createListenStreams(
  handlers: McpHandlers,
  createHandler: (bus: ServerEventBus) => SdkHandler,
  limiter: StreamLimiter,
) {
  const watcher = new ResourceWatcher(handlers);
  const open = new Set<SdkHandler>();

  /** The SDK unsubscribes from the bus when the stream ends for any reason, which also calls `release`. */
  async function listen(
    request: Request,
    message: RpcRequest,
    uris: ReadonlyMap<string, string>,
    release: () => void,
  ): Promise<McpHttpResponse> {
    const handler = createHandler({
      publish: () => undefined,
      subscribe: (listener) => {
        open.add(handler);
        const unsubscribe = watcher.subscribe(uris, (uri) => {
          listener({ kind: 'resource_updated', uri });
        });
        return () => {
          unsubscribe();
          open.delete(handler);
          release();
        };
      },
    });
    try {
      return await toMcpHttpResponse(await handler.fetch(request, { parsedBody: message }));
    } finally {
      // The SDK refused the request, or the stream has ended already.
      if (!open.has(handler)) release();
    }
  }

  return {
    /**
     * Opens a stream.
     * @returns the stream, or a JSON-RPC error if the subscription names too many or unknown resources
     * @throws WorkspaceError rate_limited
     */
    open: async (request: Request, message: RpcRequest, caller: Caller): Promise<McpHttpResponse> => {
      const read = await readSubscription(message, handlers);
      if ('error' in read) return { status: 200, body: JSON.stringify(read.error) };
      return listen(request, message, read.uris, limiter.acquire(caller));
    },
    close: async (): Promise<void> => {
      await Promise.all([...open].map((handler) => handler.close()));
    },
  };
}
