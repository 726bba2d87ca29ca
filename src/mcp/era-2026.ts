import { createMcpHandler, isLegacyRequest, McpServer, type ServerEventBus, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import type { Catalogue } from './catalogue.ts';
import type { Connect, HttpEra } from './era.ts';

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
    owns: async (request, body) => !await isLegacyRequest(request, body),
    answer: async (request, body, caller) => {
      const method = 'method' in body ? body.method : '';
      if (method === LISTEN) {
        hold(caller.visitor, 1);
        request.signal.addEventListener('abort', () => { hold(caller.visitor, -1); });
      }
      asking.set(request, { caller, method });
      return handler.fetch(request, { parsedBody: body });
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
