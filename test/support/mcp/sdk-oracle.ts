import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createMcpHandler, isLegacyRequest, McpServer as McpServer2026 } from '@modelcontextprotocol/server';
import { McpServer as McpServer2025 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { InitializeRequestSchema, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import type { McpEndpoint } from '#tool/mcp-endpoint.ts';
import { isCached } from '#mcp/handlers/rpc-response.ts';
import { createMcpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { INVALID_MESSAGE } from '#mcp/protocol/json-rpc.ts';
import { createMethods, toResourceError } from '#mcp/methods/method-table.ts';
import { CACHE_HINTS, PROTOCOL_VERSIONS, STATIC_HINT } from '#mcp/protocol/revisions.ts';
import { Resources } from '#mcp/methods/resources.ts';
import { describeMistake } from '#mcp/sdk/v1.ts';
import { jsonSchemaValidator } from '#mcp/handlers/initialize.ts';
import { callTool } from '#tool/call-tool.ts';
import { isRead, toolsIn, type Context } from '#tool/define-tool.ts';
import { runRead } from '#tool/run-read.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

type Params = Readonly<Record<string, unknown>>;
type Result = Record<string, unknown>;
type HandlersOptions = Parameters<typeof createMcpHandlers>[0];

interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Params;
  readonly error?: { readonly message: string };
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const VERSION_META = 'io.modelcontextprotocol/protocolVersion';
const TEXT_BUDGET = 40_000;
const CAPABILITIES_2025 = { tools: {}, resources: {}, prompts: {}, completions: {} };
const CAPABILITIES_2026 = { ...CAPABILITIES_2025, resources: { subscribe: true } };

/** What the service bounds, and no SDK: ids, and what an SDK repeats. */
function isTooLong({ id, method, params = {}, error }: Message): boolean {
  const meta = (params['_meta'] ?? {}) as Params;
  const { taskId } = (meta['io.modelcontextprotocol/related-task'] ?? {}) as Params;
  const tokens = [meta['progressToken'], meta[VERSION_META], taskId, id === undefined && params['requestId']];
  return [id, method, params['name'], params['uri'], error?.message, ...tokens].some(
    (text) => typeof text === 'string' && text.length > 256,
  );
}

/**
 * Answers every message with the SDK of its revision. Each message has its own server, transport and results,
 * so no cached bytes are sent, and only an SDK reads an envelope. The service must send the same bytes.
 * `subscriptions/listen` is not served.
 */
export function createSdkOracle(options: HandlersOptions): McpEndpoint {
  const { info, instructions } = createMcpHandlers(options);
  const handle = createObjectMethods(options);

  async function respond2025(message: Message, caller: Caller): Promise<Reply> {
    if (message.method === undefined || message.id === undefined) return { status: 202 };
    if (message.method === 'initialize' && !InitializeRequestSchema.safeParse(message).success)
      return toReply({
        jsonrpc: '2.0',
        id: message.id,
        error: { code: -32602, message: describeMistake(message) },
      });
    const server = new McpServer2025(info, { instructions, jsonSchemaValidator });
    server.server.registerCapabilities(CAPABILITIES_2025);
    server.server.fallbackRequestHandler = async ({ method, params = {} }) =>
      (await handle(method, params, caller)) ?? refuse(-32601, 'There is no such method.');
    const { task: _, ...params } = message.params ?? {};
    return new Promise((resolve, reject) => {
      const transport = {
        onmessage: undefined as ((sent: unknown) => void) | undefined,
        start: async () => undefined,
        send: async (sent: object) => {
          resolve(toReply(sent));
        },
        close: async () => undefined,
      };
      server.connect(transport as never).then(() => {
        transport.onmessage?.({ ...message, ...(message.params !== undefined && { params }) });
      }, reject);
    });
  }

  async function respond2026(request: Request, message: Message, caller: Caller): Promise<Reply> {
    const known = message.method !== undefined && KNOWN_METHODS.has(message.method);
    const { fetch } = createMcpHandler(
      () => {
        const server = new McpServer2026(info, {
          instructions,
          cacheHints: { 'server/discover': STATIC_HINT },
          jsonSchemaValidator,
        });
        server.server.registerCapabilities(CAPABILITIES_2026);
        if (known)
          server.server.fallbackRequestHandler = async ({ method, params = {} }) => ({
            ...(await handle(method, params, caller)),
            ...CACHE_HINTS[method],
          });
        return server;
      },
      { legacy: 'reject' },
    );
    const response = await fetch(request, { parsedBody: message });
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, ...(response.body !== null && { body: text }) };
  }

  async function respond(request: IncomingMessage, message: Message, caller: Caller): Promise<Reply> {
    const web = (): Request => toWebRequest(request);
    // The service opens a connection of 2025 whatever the version header says; the SDK of 2026 refuses that.
    const opens = message.method === 'initialize' && !namesRevision(message);
    return opens || (await isLegacyRequest(web(), message))
      ? respond2025(message, caller)
      : respond2026(web(), message, caller);
  }

  return {
    protocolVersions: PROTOCOL_VERSIONS,
    invalidMessage: INVALID_MESSAGE,
    parse: (body) => {
      if (!JSONRPCMessageSchema.safeParse(body).success || isTooLong(body as Message)) return undefined;
      const message = body as Message;
      return {
        body,
        isUsual: false,
        mayWait: false,
        isStream: false,
        needsVersionHeader: !namesRevision(message) && message.method !== 'initialize',
      };
    },
    respond: async ({ body }, { request, response, caller, headers }) => {
      send(response, await respond(request, body as Message, caller), headers);
      return undefined;
    },
  };
}

const KNOWN_METHODS = new Set([
  ...['tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read'],
  ...['prompts/list', 'prompts/get', 'completion/complete'],
]);

/** The methods, with results that are made anew as objects. @returns undefined for an unknown method */
function createObjectMethods({ tools, toolset = 'all', workspace, resultCache, report }: HandlersOptions) {
  const offered = toolsIn(toolset, tools);
  const resources = new Resources(tools);
  const methods = createMethods({ tools, toolset, resources, resultCache, report });
  const run = async (method: string, params: Params, context: Context): Promise<Result> => {
    const result = await methods.get(method)!(params, context);
    return isCached(result) ? JSON.parse(`{${result.writeMembers(result.cached)}}`) : result;
  };

  async function call(name: unknown, args: unknown, context: Context): Promise<Result> {
    const tool = offered.find((one) => one.name === name);
    // The table words the errors of unknown tools.
    if (tool === undefined) return run('tools/call', { name, arguments: args }, context);
    try {
      const output = isRead(tool)
        ? (await runRead(resultCache, tool, args ?? {}, context)).output
        : await callTool(tool, args ?? {}, context);
      const { [tool.longText ?? '']: _, ...receipt } = output;
      const text = JSON.stringify(receipt);
      return { content: [{ type: 'text', text }], ...(toolset === 'all' && { structuredContent: receipt }) };
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      return { content: [{ type: 'text', text: JSON.stringify(error.failure) }], isError: true };
    }
  }

  async function read(uri: unknown, context: Context): Promise<Result> {
    const found = typeof uri === 'string' ? resources.find(uri) : undefined;
    if (found === undefined) return run('resources/read', { uri }, context);
    try {
      const { output } = await resultCache.run(found.tool, found.args, context);
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(output) }] };
    } catch {
      // The table words the errors of records that are not visible.
      return run('resources/read', { uri }, context);
    }
  }

  return async (method: string, params: Params, caller: Caller): Promise<Result | undefined> => {
    const context = { workspace, caller: { ...caller, textBudget: TEXT_BUDGET } };
    if (method === 'tools/call') return call(params['name'], params['arguments'], context);
    if (method === 'resources/read') return read(params['uri'], context);
    if (!KNOWN_METHODS.has(method)) return undefined;
    try {
      return await run(method, params, context);
    } catch (error) {
      throw error instanceof WorkspaceError ? toResourceError(error.failure) : error;
    }
  };
}

const namesRevision = ({ params }: Message): boolean =>
  VERSION_META in ((params?.['_meta'] as object | undefined) ?? {});

function refuse(code: number, message: string): never {
  throw Object.assign(new Error(message), { code });
}

const toReply = (message: object): Reply => ({ status: 200, body: JSON.stringify(message) });

/**
 * The headers of a request, with types that the SDK accepts: the HTTP app has checked what the client sent.
 */
function toWebRequest({ headers, url = '/' }: IncomingMessage): Request {
  const fields = Object.entries({
    ...headers,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }).flatMap(([name, value]) => [value ?? []].flat().map((text): [string, string] => [name, text]));
  return new Request(`http://localhost${url}`, { method: 'POST', headers: fields });
}

function send(response: ServerResponse, { status, headers, body }: Reply, common: OutgoingHttpHeaders): void {
  if (body === undefined) {
    response.writeHead(status, { ...common, ...headers }).end();
    return;
  }
  const length = Buffer.byteLength(body);
  response
    .writeHead(status, {
      ...common,
      'content-type': 'application/json',
      ...headers,
      'content-length': length,
    })
    .end(body);
}
