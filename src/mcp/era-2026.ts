import type { IncomingMessage } from 'node:http';
import { createMcpHandler, isLegacyRequest, McpServer, type ServerEventBus, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import type { Catalogue } from './catalogue.ts';
import type { Connect, HttpAnswer, HttpEra } from './era.ts';
import { namesRevision } from './message.ts';

const CAPABILITIES = { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} };

/** How long a client may go on with what it has read: what belongs to the program for an hour, the feed for a second. */
const LONG = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
const SHORT = { ttlMs: 1_000, cacheScope: 'public' } as const;

const CACHING: Readonly<Record<string, typeof LONG | typeof SHORT>> = {
  'tools/list': LONG,
  'prompts/list': LONG,
  'resources/list': LONG,
  'resources/templates/list': LONG,
  'resources/read': SHORT,
};

const FIRST_REVISION = '2026-07-28';

const LISTEN = 'subscriptions/listen';

/** A network has many agents, but no need for a stream for each post. */
const MOST_STREAMS_PER_NETWORK = 50;
const RETRY_SECONDS = 60;

interface Limits {
  /** How many streams of notices there may be, all networks together. */
  readonly mostStreams: number;
  readonly report: (error: Error) => void;
}

/** The era without a handshake, where each request names its revision: 2026-07-28, by version 2 of the SDK. */
export function httpEra2026(catalogue: Catalogue, { mostStreams, report }: Limits): HttpEra {
  const asking = new WeakMap<Request, { caller: Caller; method: string }>();
  const streams = new Map<string, number>();
  const handler = createMcpHandler(({ requestInfo }) => {
    const request = requestInfo && asking.get(requestInfo);
    if (request === undefined) throw new Error('a request came without its caller');
    const server = serverOf(catalogue, request.caller);
    // Only where nobody is there to answer does the SDK say so with the status that belongs to it.
    if (!catalogue.answers(request.method)) delete server.server.fallbackRequestHandler;
    return server;
  }, { legacy: 'reject', bus: busOf(catalogue), maxSubscriptions: mostStreams, onerror: report });

  const hold = (visitor: string, change: 1 | -1): void => {
    const held = (streams.get(visitor) ?? 0) + change;
    if (held > MOST_STREAMS_PER_NETWORK) {
      throw new WorkspaceError('rate_limited', `Your network already listens on ${MOST_STREAMS_PER_NETWORK} streams; end one, `
        + 'or name more resources in one subscription.', { limit: 'streamsPerNetwork', retryAfterSeconds: RETRY_SECONDS });
    }
    if (held === 0) streams.delete(visitor);
    else streams.set(visitor, held);
  };

  return {
    answer: async ({ request, message, caller, gone }) => {
      const version = request.headers['mcp-protocol-version'];
      // Plain to see, and a web request is dear.
      if (!namesRevision(message) && (version === undefined || version < FIRST_REVISION)) return undefined;
      const asked = toWebRequest(request, gone);
      if (await isLegacyRequest(asked, message)) return undefined;
      const method = 'method' in message ? message.method : '';
      // Who has gone already is not told of as going.
      if (method === LISTEN && !gone.aborted) {
        hold(caller.visitor, 1);
        gone.addEventListener('abort', () => { hold(caller.visitor, -1); });
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
    serveStdio(() => {
      const server = serverOf(catalogue, caller);
      // Notices of what nobody asked for end at the SDK.
      unwatch ??= catalogue.watch((uri) => void server.server.sendResourceUpdated({ uri }));
      server.server.onclose = () => { unwatch?.(); };
      return server;
    }, { legacy: 'reject', transport: channel as Transport });
  };
}

function serverOf(catalogue: Catalogue, caller: Caller): McpServer {
  const { info, instructions } = catalogue;
  const mcp = new McpServer(info, { instructions, cacheHints: { 'server/discover': LONG } });
  // Told to the constructor, they would bring the SDK's own handlers.
  mcp.server.registerCapabilities(CAPABILITIES);
  mcp.server.fallbackRequestHandler = async ({ method, params = {} }) =>
    ({ ...await catalogue.answer(method, params, caller), ...CACHING[method] });
  return mcp;
}

/** Each stream listens for itself, so that nothing is watched where nobody listens. */
function busOf(catalogue: Catalogue): ServerEventBus {
  return {
    publish: () => undefined,
    subscribe: (listener) => catalogue.watch((uri) => { listener({ kind: 'resource_updated', uri }); }),
  };
}

/** With its headers alone: the body is read already. */
function toWebRequest({ method = 'POST', url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const fields = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: fields, signal });
}

async function answerOf(response: Response): Promise<HttpAnswer> {
  const { status, headers, body } = response;
  const told = { status, headers: Object.fromEntries(headers) };
  if (body === null) return told;
  return { ...told, body: headers.get('Content-Type')?.startsWith('text/event-stream') === true ? body : await response.text() };
}
