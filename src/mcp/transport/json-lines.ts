import { parseJson } from '#runtime/parse-json.ts';
import type { Readable, Writable } from 'node:stream';
import { RPC } from '#mcp/protocol/errors.ts';
import {
  INVALID_MESSAGE,
  isMessage,
  isNotification,
  readRequestId,
  type Message,
} from '#mcp/protocol/json-rpc.ts';
import { NotificationQueue } from './notification-queue.ts';

/** Limits the memory for one line. Every valid message is far shorter. */
const MAX_LINE_CHARACTERS = 10 * 1024 * 1024;

interface Listener {
  readonly message: (message: Message) => void;
  /** Receives the reason why a line was refused or ignored, for the log. */
  readonly rejected: (reason: string) => void;
  /** Called when the input ends or the output fails, possibly more than once. */
  readonly end: () => void;
}

/**
 * JSON-RPC messages, one per line, in both directions: the stdio transport of MCP. A line with the id of a
 * request that is not a valid message gets an error response, since its sender waits for one. Other invalid
 * lines are ignored.
 */
export class JsonLinesTransport {
  readonly #output: Writable;
  readonly #notifications: NotificationQueue;
  readonly #listener: Listener;
  #buffer = '';
  /** Whether the current line is too long, so that the rest of it is dropped. */
  #skipping = false;

  constructor(input: Readable, output: Writable, listener: Listener) {
    this.#output = output;
    this.#notifications = new NotificationQueue(output);
    this.#listener = listener;
    input.setEncoding('utf8').on('data', (text: string) => {
      this.#read(text);
    });
    input.once('end', listener.end).once('close', listener.end);
    output.once('error', listener.end);
  }

  send(message: Message): void {
    const line = `${JSON.stringify(message)}\n`;
    if (isNotification(message)) this.#notifications.write(line);
    else this.#output.write(line);
  }

  /** Sends a serialized response in one write. */
  sendParts(before: Buffer, after: string): void {
    this.#output.cork();
    this.#output.write(before);
    this.#output.write(`${after}\n`);
    this.#output.uncork();
  }

  #read(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.#append(first);
    for (const part of others) {
      this.#emitLine();
      this.#append(part);
    }
  }

  #append(text: string): void {
    if (this.#skipping) return;
    this.#buffer += text;
    if (this.#buffer.length <= MAX_LINE_CHARACTERS) return;
    this.#buffer = '';
    this.#skipping = true;
    this.#listener.rejected('ignored a line that is too long');
  }

  #emitLine(): void {
    const line = this.#buffer;
    const skipped = this.#skipping;
    this.#buffer = '';
    this.#skipping = false;
    if (skipped || line.trim() === '') return;
    const message = parseJson(line);
    if (isMessage(message)) {
      this.#listener.message(message);
      return;
    }
    const id = readRequestId(message);
    if (id !== undefined) {
      const error = { code: RPC.invalidRequest, message: INVALID_MESSAGE };
      this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
    }
    const reason = message === undefined ? 'JSON' : 'a JSON-RPC message';
    this.#listener.rejected(`${id === undefined ? 'ignored' : 'refused'} a line that is not ${reason}`);
  }
}
