import type { IncomingMessage } from 'node:http';
import {
  classifyInboundRequest,
  createMcpHandler,
  McpServer,
  type ServerEventBus,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#workspace/caller.ts';
import { CACHE_HINTS, STATIC_HINT } from './cache-hints.ts';
import type { Catalogue } from './catalogue.ts';
import { NAMED_PARAMETER } from './plain-call.ts';
import { LISTEN, PER_REQUEST_VERSION } from './versions.ts';
import type { Connect, HttpAnswer, HttpEra } from './era.ts';
import { Exchange } from './exchange.ts';
import { isRequest, namesRevision, type Message, type Request as Asked } from './message.ts';
import { Streams } from './streams.ts';

const CAPABILITIES = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} };

interface Limits {
  /** How many streams of notices there may be, all networks together. */
  readonly mostStreams: number;
  readonly report: (error: Error) => void;
}

/** The era without a handshake, where each request names its revision: 2026-07-28, by version 2 of the SDK. */
export function httpEra2026(catalogue: Catalogue, { mostStreams, report }: Limits): HttpEra {
  const asking = new WeakMap<Request, { caller: Caller; method: string }>();
  const streams = new Streams();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const request = requestInfo && asking.get(requestInfo);
      if (request === undefined) throw new Error('a request came without its caller');
      const server = serverOf(catalogue, () => request.caller);
      // Only where nobody is there to answer does the SDK say so with the status that belongs to it.
      if (!catalogue.answers(request.method)) delete server.server.fallbackRequestHandler;
      return server;
    },
    { legacy: 'reject', bus: busOf(catalogue), maxSubscriptions: mostStreams, onerror: report },
  );

  // A server and the web's own requests and answers for each call would take twice the time of the call.
  const exchange = new Exchange();
  serveStdio(() => serverOf(catalogue, (id) => exchange.callerOf(id)), {
    legacy: 'reject',
    transport: exchange as Transport,
  });

  return {
    answer: async ({ request, message, caller, gone }) => {
      const version = request.headers['mcp-protocol-version'] as string | undefined;
      // Plain to see.
      if (!namesRevision(message) && (version === undefined || version < PER_REQUEST_VERSION))
        return undefined;
      const { kind } = classify(request, message);
      if (kind === 'legacy') return undefined;
      if (
        kind === 'modern' &&
        isRequest(message) &&
        catalogue.answers(message.method) &&
        saysTheSame(request, message)
      ) {
        return { status: 200, body: JSON.stringify(await exchange.ask(message, caller)) };
      }
      const asked = toWebRequest(request, gone);
      const method = 'method' in message ? message.method : '';
      // Who has gone already is not told of as going.
      if (method === LISTEN && !gone.aborted) {
        streams.begin(caller);
        gone.addEventListener('abort', () => {
          streams.end(caller);
        });
      }
      asking.set(asked, { caller, method });
      return answerOf(await handler.fetch(asked, { parsedBody: message }));
    },
    close: () => handler.close(),
  };
}

/** The same over a connection. */
export function connectEra2026(catalogue: Catalogue): Connect {
  return async (channel, caller) => {
    let unwatch: (() => void) | undefined;
    serveStdio(
      () => {
        const server = serverOf(catalogue, () => caller);
        // Notices of what nobody asked for end at the SDK.
        unwatch ??= catalogue.watch((uri) => void server.server.sendResourceUpdated({ uri }));
        server.server.onclose = () => {
          unwatch?.();
        };
        return server;
      },
      { legacy: 'reject', transport: channel as Transport },
    );
  };
}

/** @param callerOf who asked, by the id of what was asked */
function serverOf(catalogue: Catalogue, callerOf: (id: unknown) => Caller): McpServer {
  const { info, instructions } = catalogue;
  const mcp = new McpServer(info, { instructions, cacheHints: { 'server/discover': STATIC_HINT } });
  // Told to the constructor, they would bring the SDK's own handlers.
  mcp.server.registerCapabilities(CAPABILITIES);
  mcp.server.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq }) => ({
    ...(await catalogue.answer(method, params, callerOf(mcpReq.id))),
    ...CACHE_HINTS[method],
  });
  return mcp;
}

/** Each stream listens for itself, so that nothing is watched where nobody listens. */
function busOf(catalogue: Catalogue): ServerEventBus {
  return {
    publish: () => undefined,
    subscribe: (listener) =>
      catalogue.watch((uri) => {
        listener({ kind: 'resource_updated', uri });
      }),
  };
}

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
function saysTheSame({ headers }: IncomingMessage, { method, params }: Asked): boolean {
  const name = params?.[NAMED_PARAMETER[method] ?? ''];
  return (
    headers['mcp-protocol-version'] === PER_REQUEST_VERSION &&
    headers['mcp-method'] === method &&
    headers['mcp-name'] === name &&
    !String(name).startsWith('=')
  );
}

/** With its headers alone: the body is read already. */
function toWebRequest(
  { method = 'POST', url = '/', headers }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  // The Accept header was judged before; the SDK refuses wildcards.
  fields.push(['accept', 'application/json, text/event-stream']);
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: fields, signal });
}

async function answerOf(response: Response): Promise<HttpAnswer> {
  const { status, headers, body } = response;
  const told = { status, headers: Object.fromEntries(headers) };
  if (body === null) return told;
  return {
    ...told,
    body:
      headers.get('Content-Type')?.startsWith('text/event-stream') === true ? body : await response.text(),
  };
}
