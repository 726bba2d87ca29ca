import type { Readable, Writable } from 'node:stream';
import type { RpcResponse } from '#tool/cached-result.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { type Answer, createFastPath, type ConnectTransport, type McpTransport } from './transport.ts';
import { JsonLinesTransport } from './json-lines.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { CAPABILITIES_WITH_SUBSCRIPTIONS } from '#mcp/handlers/initialize.ts';
import { toCall } from '#mcp/protocol/call.ts';
import { isNotification, isRequest, namesRevision, type Message } from '#mcp/protocol/json-rpc.ts';
import { acknowledgedId } from '#mcp/protocol/revisions.ts';
import { OpenRequests, type OpenRequest } from './open-requests.ts';

const DRAIN_TIMEOUT_MS = 5_000;
/** How long requests wait for a store that opens after the input has ended. */
const OPENING_TIMEOUT_MS = 60_000;

const CALLER = { clientKey: LOOPBACK_CLIENT };

/** Connects the SDKs, each of which loads with the first message for it. */
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
 * A call with a usual envelope is answered directly. Every other message goes to the SDK of its revision, so
 * a client can probe the newer revision and fall back.
 */
export function serveStdio(
  handlers: McpHandlers,
  sdks: StdioSdks,
  report: (event: string) => void,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
) {
  const findAnswer = createFastPath(handlers, CAPABILITIES_WITH_SUBSCRIPTIONS);
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
      const answer = findAnswer(message, undefined);
      const request = requests.open(message, handlers.waitOf(message), answer === undefined);
      if (answer !== undefined) {
        void answerDirectly(request, answer);
        return;
      }
      const connect = namesRevision(message) ? sdks.statelessVersion : sdks.initializeHandshake;
      const connection = connections.get(connect) ?? connectSdk(connect);
      connections.set(connect, connection);
      deliver(connection, message, (error) => {
        // A later message tries again.
        connections.delete(connect);
        respond(request, handlers.fail(toCall(message, namesRevision(message)), error));
      });
    } else if (isNotification(message)) {
      if (message.method === 'notifications/cancelled') requests.cancel(message.params?.requestId);
      for (const connection of connections.values()) deliver(connection, message, () => undefined);
    }
  }

  async function answerDirectly(request: OpenRequest, answer: Answer): Promise<void> {
    try {
      respond(request, await answer(CALLER, request.abort?.signal));
    } catch (error) {
      report(String(error));
    }
  }

  function respond(request: OpenRequest, { before, after }: RpcResponse): void {
    if (!request.isCancelled) lines.sendParts(before, after);
    requests.end(request);
  }

  async function connectSdk(connect: ConnectTransport): Promise<Connection> {
    const transport: McpTransport = {
      // stdin and stdout are open from the start.
      start: async () => undefined,
      send: async (sent) => {
        lines.send(sent);
        // A subscription gets its response only when it ends, so it counts as open until it is acknowledged.
        requests.endOfSdk('method' in sent ? acknowledgedId(sent) : sent.id);
      },
      close: async () => {
        transport.onclose?.();
      },
    };
    return { transport, close: await connect(transport, CALLER) };
  }

  /** @param fail called if no SDK can be connected */
  function deliver(connection: Promise<Connection>, message: Message, fail: (error: unknown) => void): void {
    connection.then(({ transport }) => transport.onmessage?.(message), fail);
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
