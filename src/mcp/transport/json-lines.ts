import type { Readable, Writable } from 'node:stream';
import { isMessage, isNotification, type Message } from './json-rpc.ts';
import { Outlet } from './notification-queue.ts';

/** A longer line is no message of anybody who means well. */
const MOST_CHARACTERS = 10 * 1024 * 1024;

interface Listener {
  readonly message: (message: Message) => void;
  /** Told of a line that is no message, in a word for the log. */
  readonly refused: (why: string) => void;
  readonly end: () => void;
}

/** Messages as lines of JSON, both ways. What is no message is passed over. */
export class Lines {
  readonly #output: Writable;
  readonly #notices: Outlet;
  readonly #listener: Listener;
  #begun = '';
  #skipping = false;

  constructor(input: Readable, output: Writable, listener: Listener) {
    this.#output = output;
    this.#notices = new Outlet(output);
    this.#listener = listener;
    input.setEncoding('utf8').on('data', (text: string) => {
      this.#read(text);
    });
    input.once('end', listener.end).once('close', listener.end);
    output.once('error', listener.end);
  }

  send(message: Message): void {
    const line = `${JSON.stringify(message)}\n`;
    if (isNotification(message)) this.#notices.write(line);
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
    this.#grow(rest);
    for (const other of others) {
      this.#take();
      this.#grow(other);
    }
  }

  #grow(text: string): void {
    if (this.#skipping) return;
    this.#begun += text;
    if (this.#begun.length <= MOST_CHARACTERS) return;
    this.#begun = '';
    this.#skipping = true;
    this.#listener.refused('a line is too long');
  }

  #take(): void {
    const line = this.#begun;
    const skipped = this.#skipping;
    this.#begun = '';
    this.#skipping = false;
    if (skipped || line.trim() === '') return;
    const message = parsed(line);
    if (isMessage(message)) this.#listener.message(message);
    else
      this.#listener.refused(
        message === undefined ? 'a line is not JSON' : 'a line is not a message of JSON-RPC',
      );
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
