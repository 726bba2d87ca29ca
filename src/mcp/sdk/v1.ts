import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { Caller } from '#workspace/caller.ts';
import type { McpHandlers } from '#mcp/handlers.ts';
import type { McpTransport, ConnectTransport, SdkHttpHandler } from '#mcp/transport/transport.ts';
import { isRequest } from '#mcp/transport/json-rpc.ts';
import type { MethodResult, Params } from '#mcp/methods.ts';
import { ProtocolError, RPC } from '#mcp/errors.ts';
import { checkSubscriptionCount } from '#mcp/subscription-uris.ts';

type Respond = (method: string, params: Params) => Promise<MethodResult>;

/** Making one costs more than answering a call. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

const CAPABILITIES = { tools: {}, resources: {}, prompts: {}, completions: {} };

/**
 * The era that opens with `initialize`: the revisions up to 2025-11-25, by version 1 of the SDK. It stands on the
 * protocol layer, below the SDK's own handling of tools, so that every failure is worded once, by us.
 */
export function createSdkV1HttpHandler(catalogue: McpHandlers): SdkHttpHandler {
  return {
    // The SDK's own transport for HTTP would make a web request of it and a web response, for as much time again.
    handle: ({ message, caller }) =>
      new Promise((resolve, reject) => {
        if (!isRequest(message)) {
          resolve({ status: 202 });
          return;
        }
        const server = createServer(catalogue, CAPABILITIES, (method, params) =>
          catalogue.handle(method, params, caller),
        );
        const channel: McpTransport = {
          start: async () => undefined,
          send: async (sent) => {
            if (!('method' in sent)) resolve({ status: 200, body: JSON.stringify(sent) });
          },
          close: async () => undefined,
        };
        connectTo(server, channel as Transport).then(() => channel.onmessage?.(message as never), reject);
      }),
    close: async () => undefined,
  };
}

/** The same over a connection, where the server can also tell what changed. */
export function connectSdkV1(catalogue: McpHandlers): ConnectTransport {
  return async (channel, caller) => {
    const subscriptions = new Subscriptions(catalogue, caller);
    const capabilities = { ...CAPABILITIES, resources: { subscribe: true } };
    const server = createServer(catalogue, capabilities, subscriptions.respond);
    subscriptions.notify = (uri) => server.server.sendResourceUpdated({ uri });
    server.server.onclose = () => {
      subscriptions.end();
    };
    await connectTo(server, channel as Transport);
  };
}

function createServer(
  { info, instructions }: McpHandlers,
  capabilities: object,
  respond: Respond,
): McpServer {
  const mcp = new McpServer(info, { instructions, jsonSchemaValidator });
  // Told to the constructor, they would bring the SDK's own handlers.
  mcp.server.registerCapabilities(capabilities);
  mcp.server.fallbackRequestHandler = async ({ method, params = {} }) => respond(method, params);
  return mcp;
}

/** What the SDK would refuse by itself, with the words of its validator, is refused or mended before it gets there. */
async function connectTo(server: McpServer, transport: Transport): Promise<void> {
  await server.connect(transport);
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (!('method' in message && 'id' in message)) {
      onmessage?.(message, extra);
    } else if (message.method === 'initialize' && !InitializeRequestSchema.safeParse(message).success) {
      const error = {
        code: RPC.invalidParams,
        message: 'params must be those of initialize: protocolVersion, capabilities, clientInfo.',
      };
      void transport.send({ jsonrpc: '2.0', id: message.id, error });
    } else {
      // Tasks are not served; a request that asks for one is answered as any other.
      const { task: _, ...params } = message.params ?? {};
      onmessage?.({ ...message, ...(message.params !== undefined && { params }) }, extra);
    }
  };
}

/** What one connection wants to be told of. */
class Subscriptions {
  notify: (uri: string) => Promise<void> = async () => undefined;
  readonly #handlers: McpHandlers;
  readonly #caller: Caller;
  readonly #uris = new Set<string>();
  #unwatch: (() => void) | undefined;

  constructor(catalogue: McpHandlers, caller: Caller) {
    this.#handlers = catalogue;
    this.#caller = caller;
  }

  readonly respond: Respond = async (method, params) => {
    const { uri } = params;
    if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') {
      return this.#handlers.handle(method, params, this.#caller);
    }
    if (!this.#handlers.hasResource(uri)) {
      throw new ProtocolError(
        RPC.resourceNotFound,
        'There is no such resource to subscribe to; resources/list and ' +
          'resources/templates/list name them all.',
      );
    }
    if (method === 'resources/unsubscribe') {
      this.#uris.delete(uri);
      return {};
    }
    if (!this.#uris.has(uri)) checkSubscriptionCount(this.#uris.size + 1, 'uri');
    this.#uris.add(uri);
    this.#unwatch ??= this.#handlers.watchResources((changed) => {
      if (this.#uris.has(changed)) void this.notify(changed);
    });
    return {};
  };

  end(): void {
    this.#unwatch?.();
  }
}
