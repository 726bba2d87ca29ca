import type { Readable, Writable } from 'node:stream';
import { isMessage, isNotification, type Message } from './json-rpc.ts';
import { NotificationQueue } from './notification-queue.ts';

/** A longer line is no message of anybody who means well. */
const MAX_LINE_CHARACTERS = 10 * 1024 * 1024;

interface Listener {
  readonly message: (message: Message) => void;
  /** Told of a line that is no message, in a word for the log. */
  readonly rejected: (why: string) => void;
  readonly end: () => void;
}

/** Messages as lines of JSON, both ways. What is no message is passed over. */
export class JsonLinesTransport {
  readonly #output: Writable;
  readonly #notifications: NotificationQueue;
  readonly #listener: Listener;
  #buffer = '';
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

  /** Sends a response whose JSON is made already. */
  sendParts(before: Buffer, after: string): void {
    this.#output.cork();
    this.#output.write(before);
    this.#output.write(`${after}\n`);
    this.#output.uncork();
  }

  #read(text: string): void {
    const [rest = '', ...others] = text.split('\n');
    this.#append(rest);
    for (const other of others) {
      this.#emitLine();
      this.#append(other);
    }
  }

  #append(text: string): void {
    if (this.#skipping) return;
    this.#buffer += text;
    if (this.#buffer.length <= MAX_LINE_CHARACTERS) return;
    this.#buffer = '';
    this.#skipping = true;
    this.#listener.rejected('a line is too long');
  }

  #emitLine(): void {
    const line = this.#buffer;
    const skipped = this.#skipping;
    this.#buffer = '';
    this.#skipping = false;
    if (skipped || line.trim() === '') return;
    const message = parseJson(line);
    if (isMessage(message)) this.#listener.message(message);
    else
      this.#listener.rejected(
        message === undefined ? 'a line is not JSON' : 'a line is not a message of JSON-RPC',
      );
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
