import type { Readable, Writable } from 'node:stream';
import type { RpcResponse } from '#tool/mcp-endpoint.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import type { ConnectTransport, McpTransport } from '#mcp/sdk/sdk-types.ts';
import { FastPath } from './fast-path.ts';
import { JsonLinesTransport } from './json-lines.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { CAPABILITIES_WITH_SUBSCRIPTIONS } from '#mcp/handlers/initialize.ts';
import { toCall, type Call } from '#mcp/protocol/call.ts';
import { isNotification, isRequest, namesRevision, type Message } from '#mcp/protocol/json-rpc.ts';
import { acknowledgedId } from '#mcp/protocol/revisions.ts';
import { OpenRequests, type OpenRequest } from './open-requests.ts';

const DRAIN_TIMEOUT_MS = 5_000;
/** How long requests wait for a store that is still opening when the input has ended. */
const OPENING_TIMEOUT_MS = 60_000;

const CALLER = { clientKey: LOOPBACK_CLIENT };

/** Connects the SDKs. Each is loaded by the first message for it. */
export interface StdioSdks {
  /** For requests that name their revision in `_meta`. */
  readonly statelessVersion: ConnectTransport;
  /** For requests of the revisions with `initialize`. */
  readonly initializeHandshake: ConnectTransport;
}

interface Connection {
  readonly transport: McpTransport;
  readonly close: () => Promise<void>;
}

/**
 * Serves one client. A call with a usual envelope gets its response directly. Every other message goes to the
 * SDK of its revision, so a client can probe the newer revision and fall back.
 */
export function serveStdio(
  handlers: McpHandlers,
  sdks: StdioSdks,
  report: (event: string) => void,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
) {
  const fastPath = new FastPath(handlers, CAPABILITIES_WITH_SUBSCRIPTIONS);
  const connections = new Map<ConnectTransport, Promise<Connection>>();
  const requests = new OpenRequests((notice) => {
    lines.send(notice);
  });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  const lines = new JsonLinesTransport(input, output, { message: receive, rejected: report, end });

  function receive(message: Message): void {
    if (isRequest(message)) {
      const call = fastPath.parse(message, undefined);
      const request = requests.open(message, handlers.waitOf(message), call === undefined);
      if (call !== undefined) {
        void respondDirectly(request, call);
        return;
      }
      const connect = namesRevision(message) ? sdks.statelessVersion : sdks.initializeHandshake;
      const connection = connections.get(connect) ?? connectSdk(connect);
      connections.set(connect, connection);
      connection.then(
        ({ transport }) => transport.onmessage?.(message),
        (error: unknown) => {
          // A later message tries again.
          connections.delete(connect);
          send(request, handlers.fail(toCall(message, namesRevision(message)), error));
        },
      );
    } else if (isNotification(message)) {
      if (message.method === 'notifications/cancelled') requests.cancel(message.params?.requestId);
      for (const connection of connections.values())
        connection.then(
          ({ transport }) => transport.onmessage?.(message),
          () => undefined,
        );
    }
  }

  async function respondDirectly(request: OpenRequest, call: Call): Promise<void> {
    try {
      send(request, await fastPath.respond(call, CALLER, request.abort?.signal));
    } catch (error) {
      report(String(error));
    }
  }

  function send(request: OpenRequest, { before, after }: RpcResponse): void {
    if (!request.isCancelled) lines.sendParts(before, after);
    requests.end(request);
  }

  async function connectSdk(connect: ConnectTransport): Promise<Connection> {
    const transport: McpTransport = {
      // stdin and stdout are open from the start.
      start: async () => undefined,
      send: async (sent) => {
        lines.send(sent);
        // A subscription gets its response only when it ends, so it counts as open until its acknowledgement.
        requests.endOfSdk('method' in sent ? acknowledgedId(sent) : sent.id);
      },
      close: async () => {
        transport.onclose?.();
      },
    };
    return { transport, close: await connect(transport, CALLER) };
  }

  return {
    /** Settles when the client closes the input. */
    ended,
    /** Settles when every request has its response, or after a minute. */
    drained: () => requests.drained(OPENING_TIMEOUT_MS),
    /** Closes the transports once every request has its response, or after a timeout. */
    close: async (): Promise<void> => {
      await requests.drained(DRAIN_TIMEOUT_MS);
      for (const connection of connections.values()) await (await connection).close();
    },
  };
}
