import type { Readable, Writable } from 'node:stream';
import { settle } from '#tool/maybe-promise.ts';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import type { McpTransport, ConnectTransport } from './transport.ts';
import { JsonLinesTransport } from './json-lines.ts';
import type { ReadCall } from '#mcp/fast-path/read-calls.ts';
import { isNotification, isRequest, namesRevision, type Message } from './json-rpc.ts';

/** How long an answer may take after the input has ended. */
const GRACE_MS = 5_000;

export interface StdioSdks {
  /** Answers well-formed calls that only read, without an SDK. */
  readonly readCall: (message: unknown) => ReadCall | undefined;
  /** For requests that name their revision. */
  readonly perRequestVersion: ConnectTransport;
  /** For all others. */
  readonly initializeHandshake: ConnectTransport;
}

interface StdioServer {
  /** Settles when the other side closed the input. */
  readonly ended: Promise<void>;
  /** Stops, once what was asked is answered. */
  readonly close: () => Promise<void>;
}

/**
 * Serves the process's standard input and output, as the local visitor. Both eras may be spoken on the one line, each
 * message for itself: a client that asks for the newer one and falls back finds the other. An era begins with its first
 * request, so that nobody waits for the one that is not spoken.
 */
export function serveStdio(
  eras: StdioSdks,
  report: (event: string) => void,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): StdioServer {
  const open = new Map<ConnectTransport, Promise<StdioTransport>>();
  const asked = new PendingRequests();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  const lines = new JsonLinesTransport(input, output, {
    message: hear,
    rejected: report,
    end: () => {
      end();
    },
  });

  function hear(message: Message): void {
    asked.add(message);
    const call = eras.readCall(message);
    if (call !== undefined) {
      answerRead(message, call);
    } else if (isRequest(message)) {
      const connect = namesRevision(message) ? eras.perRequestVersion : eras.initializeHandshake;
      if (!open.has(connect)) open.set(connect, begin(connect));
      deliver(open.get(connect), message);
    } else if (isNotification(message)) {
      for (const line of open.values()) deliver(line, message);
    }
  }

  function answerRead(message: Message, call: ReadCall): void {
    settle(
      call,
      ({ before, after }) => {
        lines.sendParts(before, after);
        asked.settle(message);
      },
      (error) => {
        report(String(error));
      },
    );
  }

  async function begin(connect: ConnectTransport): Promise<StdioTransport> {
    const line = new StdioTransport((answer) => {
      lines.send(answer);
      if (!('method' in answer)) asked.settle(answer);
    });
    await connect(line, { clientKey: LOOPBACK_CLIENT });
    return line;
  }

  function deliver(line: Promise<StdioTransport> | undefined, message: Message): void {
    line?.then(
      ({ onmessage }) => onmessage?.(message as never),
      (error: unknown) => {
        report(String(error));
      },
    );
  }

  return {
    ended,
    close: async () => {
      await asked.drained(GRACE_MS);
      for (const line of open.values()) await (await line).close();
    },
  };
}

/** One era's end of the connection. */
class StdioTransport implements McpTransport {
  onmessage: McpTransport['onmessage'];
  onclose: McpTransport['onclose'];
  onerror: McpTransport['onerror'];
  readonly #send: (message: Message) => void;

  constructor(send: (message: Message) => void) {
    this.#send = send;
  }

  async start(): Promise<void> {
    // The line is open already.
  }

  async send(message: Message): Promise<void> {
    this.#send(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}

/** Which requests wait for their answer. */
class PendingRequests {
  readonly #open = new Set<unknown>();
  #done = (): void => undefined;

  add(message: Message): void {
    if (isRequest(message)) this.#open.add(message.id);
    // Who cancels a request gets no answer to it.
    else if ('method' in message && message.method === 'notifications/cancelled')
      this.#close(message.params?.['requestId']);
  }

  settle(message: Message): void {
    if ('id' in message) this.#close(message.id);
  }

  /** Kept alive by the timer: with the input at its end nothing else may hold the process. */
  async drained(graceMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const grace = setTimeout(resolve, graceMs);
      this.#done = () => {
        clearTimeout(grace);
        resolve();
      };
    });
  }

  #close(id: unknown): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#done();
  }
}
