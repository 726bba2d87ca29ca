import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '#workspace/service/caller.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import {
  CAPABILITIES,
  CAPABILITIES_WITH_SUBSCRIPTIONS,
  jsonSchemaValidator,
} from '#mcp/handlers/initialize.ts';
import type { MethodResult } from '#mcp/methods/method-table.ts';
import type { ConnectTransport, McpTransport, SdkHttpHandler } from './sdk-types.ts';
import { toCall, type Params } from '#mcp/protocol/call.ts';
import { isRequest, type Message, type RpcRequest, ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { checkSubscriptionCount, createResourceWatcher, NOT_VISIBLE } from '#mcp/handlers/subscriptions.ts';

/** @param context its signal is aborted when the client cancels the request */
type HandleMethod = (
  method: string,
  params: Params,
  context: { readonly signal: AbortSignal },
) => Promise<MethodResult>;

/**
 * Validates messages of the revisions with `initialize`. Uses only the protocol layer of SDK v1, because its
 * tool handling would send its own error texts.
 */
export function createSdkV1HttpHandler(handlers: McpHandlers): SdkHttpHandler {
  return {
    validate: async (message, { caller }) => {
      if (!isRequest(message)) return { response: { status: 202 } };
      // For such a request the protocol layer checks nothing that `isMessage` does not.
      if (handlers.handles(message.method)) return { call: toCall(message, false) };
      return { response: { status: 200, body: JSON.stringify(await respond(handlers, message, caller)) } };
    },
    close: async () => undefined,
  };
}

/** Responds to a request with a new server, because no state is kept between requests. */
async function respond(handlers: McpHandlers, request: RpcRequest, caller: Caller): Promise<Message> {
  const server = createServer(handlers, CAPABILITIES, (method, params, { signal }) =>
    handlers.run(method, params, caller, signal),
  );
  return new Promise((resolve, reject) => {
    const transport: McpTransport = {
      start: async () => undefined,
      send: async (response) => {
        resolve(response);
      },
      close: async () => undefined,
    };
    connectTo(server, transport).then(() => transport.onmessage?.(request), reject);
  });
}

export function connectSdkV1(handlers: McpHandlers): ConnectTransport {
  return async (transport, caller) => {
    const watch = createResourceWatcher(handlers);
    /** Functions that end subscriptions, by URI. */
    const ends = new Map<string, () => void>();
    const subscribe = async (uri: string): Promise<void> => {
      const rootUri = await handlers.findRootUri(uri);
      if (rootUri === undefined) throw new ProtocolError(RPC.resourceNotFound, NOT_VISIBLE);
      if (ends.has(uri)) return;
      checkSubscriptionCount(ends.size + 1, 'uri');
      const notify = (changed: string) => void server.server.sendResourceUpdated({ uri: changed });
      ends.set(uri, watch(uri, rootUri, notify));
    };
    const handle: HandleMethod = async (method, params, { signal }) => {
      if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe')
        return handlers.run(method, params, caller, signal);
      const { uri } = params;
      if (!handlers.hasResource(uri)) {
        throw new ProtocolError(
          RPC.resourceNotFound,
          'Unknown resource; call resources/list and resources/templates/list for those to subscribe to.',
        );
      }
      if (method === 'resources/subscribe') await subscribe(uri);
      else {
        ends.get(uri)?.();
        ends.delete(uri);
      }
      return {};
    };
    const server = createServer(handlers, CAPABILITIES_WITH_SUBSCRIPTIONS, handle);
    server.server.onclose = () => {
      for (const end of ends.values()) end();
    };
    await connectTo(server, transport);
    return () => server.close();
  };
}

function createServer(
  { info, instructions }: McpHandlers,
  capabilities: object,
  handle: HandleMethod,
): McpServer {
  const mcp = new McpServer(info, { instructions, jsonSchemaValidator });
  // Capabilities given to the constructor would install the SDK's own handlers.
  mcp.server.registerCapabilities(capabilities);
  mcp.server.fallbackRequestHandler = async ({ method, params = {} }, context) =>
    handle(method, params, context);
  return mcp;
}

/** Connects, and itself corrects or refuses messages that the SDK would refuse with its validator's texts. */
async function connectTo(server: McpServer, transport: Transport): Promise<void> {
  await server.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (!('method' in message && 'id' in message)) {
      onmessage?.(message, extra);
    } else if (message.method === 'initialize' && !InitializeRequestSchema.safeParse(message).success) {
      const error = { code: RPC.invalidParams, message: describeMistake(message) };
      void transport.send({ jsonrpc: '2.0', id: message.id, error });
    } else {
      // This server has no tasks, so `task` is removed from a request.
      const { task: _, ...params } = message.params ?? {};
      onmessage?.({ ...message, ...(message.params !== undefined && { params }) }, extra);
    }
  };
}

const REPEATABLE = /^params\.(?:clientInfo|capabilities)(?:\.[A-Za-z]{1,20})?$|^params\.protocolVersion$/;

/** Names the first invalid member. It never repeats a name that the client has chosen. */
export function describeMistake(initialize: unknown): string {
  const [issue] = InitializeRequestSchema.safeParse(initialize).error?.issues ?? [];
  const member = issue?.path.slice(0, 3).map(String).join('.') ?? '';
  const name = REPEATABLE.test(member) ? member : 'params';
  return `${name} is missing or invalid; initialize takes protocolVersion, capabilities and clientInfo.`;
}
