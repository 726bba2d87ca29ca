import type { Readable, Writable } from 'node:stream';
import { settle } from '#tool/maybe-promise.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import type { McpTransport, ConnectTransport } from './transport.ts';
import { JsonLinesTransport } from './json-lines.ts';
import type { McpHandlers } from '#mcp/handlers/handlers.ts';
import type { ReadCall } from '#mcp/fast-path/read-calls.ts';
import { isNotification, isRequest, namesRevision, type Message } from '#mcp/protocol/json-rpc.ts';
import { acknowledgedId } from '#mcp/protocol/revisions.ts';
import { OpenRequests } from './open-requests.ts';

const DRAIN_TIMEOUT_MS = 5_000;

export interface StdioSdks {
  /** Serves well-formed reads without an SDK. */
  readonly readCall: McpHandlers['readCall'];
  readonly waits: Pick<McpHandlers, 'waitingCall' | 'waitCall'>;
  /** For requests that name their revision in `_meta`. */
  readonly perRequestVersion: ConnectTransport;
  /** For requests of the revisions with `initialize`. */
  readonly initializeHandshake: ConnectTransport;
}

/** A transport with the function that `ConnectTransport` returns. */
interface Connection {
  readonly transport: McpTransport;
  readonly close: () => Promise<void>;
}

interface StdioServer {
  /** Settles when the client closes the input. */
  readonly ended: Promise<void>;
  /** Closes the transports once every request has its response, or after a timeout. */
  readonly close: () => Promise<void>;
}

/**
 * Serves MCP on stdin and stdout. A request that `readCall` does not serve goes to the SDK of its revision,
 * so a client can probe the newer revision and fall back. The first request of an SDK loads it.
 */
export function serveStdio(
  sdks: StdioSdks,
  report: (event: string) => void,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): StdioServer {
  const connections = new Map<ConnectTransport, Promise<Connection>>();
  const requests = new OpenRequests((notice) => {
    lines.send(notice);
  });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  const lines = new JsonLinesTransport(input, output, {
    message: receive,
    rejected: report,
    end: () => {
      end();
    },
  });

  function receive(message: Message): void {
    const signal = requests.receive(message, sdks.waits.waitingCall(message));
    const caller = { clientKey: LOOPBACK_CLIENT };
    const call =
      signal === undefined ? sdks.readCall(message, caller) : sdks.waits.waitCall(message, caller, signal);
    if (call !== undefined) {
      runRead(message, call, signal);
    } else if (isRequest(message)) {
      const connect = namesRevision(message) ? sdks.perRequestVersion : sdks.initializeHandshake;
      if (!connections.has(connect)) connections.set(connect, connectSdk(connect));
      deliver(connections.get(connect), message);
    } else if (isNotification(message)) {
      for (const connection of connections.values()) deliver(connection, message);
    }
  }

  function runRead(message: Message, call: ReadCall, signal: AbortSignal | undefined): void {
    settle(
      call,
      ({ before, after }) => {
        // A cancelled request gets no response.
        if (signal?.aborted === true) return;
        lines.sendParts(before, after);
        requests.settle('id' in message ? message.id : undefined);
      },
      (error) => {
        report(String(error));
      },
    );
  }

  async function connectSdk(connect: ConnectTransport): Promise<Connection> {
    const transport: McpTransport = {
      // stdin and stdout are open from the start.
      start: async () => undefined,
      send: async (sent) => {
        lines.send(sent);
        // A subscription has its response only when it ends, so it is open until it is acknowledged.
        requests.settle('method' in sent ? acknowledgedId(sent) : sent.id);
      },
      close: async () => {
        transport.onclose?.();
      },
    };
    return { transport, close: await connect(transport, { clientKey: LOOPBACK_CLIENT }) };
  }

  function deliver(connection: Promise<Connection> | undefined, message: Message): void {
    connection?.then(
      ({ transport }) => transport.onmessage?.(message),
      (error: unknown) => {
        report(String(error));
      },
    );
  }

  return {
    ended,
    close: async () => {
      await requests.drained(DRAIN_TIMEOUT_MS);
      for (const connection of connections.values()) await (await connection).close();
    },
  };
}
