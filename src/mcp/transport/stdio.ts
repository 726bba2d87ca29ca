import type { Readable, Writable } from 'node:stream';
import { settle } from '#tool/maybe-promise.ts';
import { LOCAL } from '#workspace/caller.ts';
import type { Channel, Connect } from './transport.ts';
import { Lines } from './json-lines.ts';
import type { ReadCall } from '#mcp/fast-path/read-calls.ts';
import { isNotification, isRequest, namesRevision, type Message } from './json-rpc.ts';

/** How long an answer may take after the input has ended. */
const GRACE_MS = 5_000;

export interface Eras {
  /** Answers well-formed calls that only read, without an SDK. */
  readonly readCall: (message: unknown) => ReadCall | undefined;
  /** For requests that name their revision. */
  readonly naming: Connect;
  /** For all others. */
  readonly opening: Connect;
}

interface Speaking {
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
  eras: Eras,
  report: (event: string) => void,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): Speaking {
  const open = new Map<Connect, Promise<Line>>();
  const asked = new Asked();
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });

  const lines = new Lines(input, output, {
    message: hear,
    refused: report,
    end: () => {
      end();
    },
  });

  function hear(message: Message): void {
    asked.hear(message);
    const call = eras.readCall(message);
    if (call !== undefined) {
      answerRead(message, call);
    } else if (isRequest(message)) {
      const connect = namesRevision(message) ? eras.naming : eras.opening;
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
        asked.answered(message);
      },
      (error) => {
        report(String(error));
      },
    );
  }

  async function begin(connect: Connect): Promise<Line> {
    const line = new Line((answer) => {
      lines.send(answer);
      if (!('method' in answer)) asked.answered(answer);
    });
    await connect(line, { visitor: LOCAL });
    return line;
  }

  function deliver(line: Promise<Line> | undefined, message: Message): void {
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
      await asked.allAnswered(GRACE_MS);
      for (const line of open.values()) await (await line).close();
    },
  };
}

/** One era's end of the connection. */
class Line implements Channel {
  onmessage: Channel['onmessage'];
  onclose: Channel['onclose'];
  onerror: Channel['onerror'];
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
class Asked {
  readonly #open = new Set<unknown>();
  #done = (): void => undefined;

  hear(message: Message): void {
    if (isRequest(message)) this.#open.add(message.id);
    // Who cancels a request gets no answer to it.
    else if ('method' in message && message.method === 'notifications/cancelled')
      this.#close(message.params?.['requestId']);
  }

  answered(message: Message): void {
    if ('id' in message) this.#close(message.id);
  }

  /** Kept alive by the timer: with the input at its end nothing else may hold the process. */
  async allAnswered(graceMs: number): Promise<void> {
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
