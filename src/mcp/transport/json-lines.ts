import { escapeLineBreaks, parseJson } from '#runtime/json.ts';
import { nextSlice, startSlice } from '#runtime/slice.ts';
import { finished, type Readable, type Writable } from 'node:stream';
import {
  INVALID_MESSAGE,
  isMessage,
  isNotification,
  parseRequestId,
  type Message,
  RPC,
} from '#mcp/protocol/json-rpc.ts';
import { createNotificationQueue } from './notification-queue.ts';

/** The maximum length of a line. Every valid message is far shorter. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** Ignores a byte order mark at the beginning (RFC 8259 section 8.1). */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

const NOT_JSON = 'This line is not JSON in UTF-8; send one JSON-RPC message per line.';

interface Listener {
  readonly message: (message: Message) => void;
  readonly rejected: (reason: string) => void;
  /** Called when the input ends or fails, or when the output fails. It may be called more than once. */
  readonly end: () => void;
}

/**
 * The stdio transport: JSON-RPC messages, one per line. A line that is not JSON in UTF-8 gets an error
 * response without an id. An invalid message that looks like a request gets an error response with its id,
 * because its sender waits for one. Other invalid lines are ignored. After each time slice the input pauses,
 * so that the event loop can do other work.
 */
export class JsonLinesTransport {
  readonly #output: Writable;
  readonly #notify: (line: string) => void;
  readonly #listener: Listener;
  /** The parts of the current line, and their length in bytes. */
  #parts: Buffer[] = [];
  #length = 0;
  /** Whether the current line is too long, and the rest of it is dropped. */
  #skipping = false;

  constructor(input: Readable, output: Writable, listener: Listener) {
    this.#output = output;
    this.#notify = createNotificationQueue(output);
    this.#listener = listener;
    let rest = Promise.resolve();
    input.on('data', (chunk: Buffer) => {
      const lines = this.#linesOf(chunk);
      if (this.#emitSlice(lines)) return;
      input.pause();
      rest = this.#emitRest(lines);
      rest.then(() => input.resume(), listener.end);
    });
    // Called at the end of the input, even while the input is paused.
    finished(input, { writable: false }, () => {
      rest.then(listener.end, listener.end);
    });
    output.once('error', listener.end);
  }

  send(message: Message): void {
    const line = `${escapeLineBreaks(JSON.stringify(message))}\n`;
    if (isNotification(message)) this.#notify(line);
    else this.#output.write(line);
  }

  /** Sends a serialized response in one write. */
  sendParts(before: Buffer | string, after: string): void {
    this.#output.cork();
    this.#output.write(isSafeInLine(before) ? before : escapeLineBreaks(before.toString()));
    this.#output.write(`${escapeLineBreaks(after)}\n`);
    this.#output.uncork();
  }

  /** @returns true after all lines; false if the time slice ended first */
  #emitSlice(lines: Generator<Buffer, void>): boolean {
    const isOver = startSlice();
    for (let next = lines.next(); next.done !== true; next = lines.next()) {
      this.#emitLine(next.value);
      if (isOver()) return false;
    }
    return true;
  }

  async #emitRest(lines: Generator<Buffer, void>): Promise<void> {
    do await nextSlice();
    while (!this.#emitSlice(lines));
  }

  /** @yields the lines that end in the chunk, without those that are too long */
  *#linesOf(chunk: Buffer): Generator<Buffer, void> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#append(chunk.subarray(start, end));
      const line = this.#takeLine();
      if (!this.#skipping) yield line;
      this.#skipping = false;
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  #append(bytes: Buffer): void {
    if (this.#skipping) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length <= MAX_LINE_BYTES) return;
    this.#takeLine();
    this.#skipping = true;
    this.#listener.rejected('ignored a line that is too long');
  }

  #takeLine(): Buffer {
    const line = Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return line;
  }

  #emitLine(bytes: Buffer): void {
    const line = decode(bytes);
    if (line?.trim() === '') return;
    const message = line === undefined ? undefined : parseJson(line);
    if (isMessage(message)) {
      this.#listener.message(message);
    } else if (message === undefined) {
      this.#refuse(null, RPC.parseError, NOT_JSON);
      this.#listener.rejected('refused a line that is not JSON in UTF-8');
    } else {
      const id = parseRequestId(message);
      if (id !== undefined) this.#refuse(id, RPC.invalidRequest, INVALID_MESSAGE);
      const outcome = id === undefined ? 'ignored' : 'refused';
      this.#listener.rejected(`${outcome} a line that is not a JSON-RPC message`);
    }
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }
}

/** Whether UTF-8 bytes contain nothing to escape, as most do. Searching them is faster than decoding them. */
const isSafeInLine = (json: Buffer | string): boolean =>
  !['\u0085', '\u2028', '\u2029'].some((lineBreak) => json.includes(lineBreak));

/** @returns undefined for bytes that are not UTF-8 */
function decode(line: Buffer): string | undefined {
  try {
    return STRICT_UTF8.decode(line);
  } catch {
    return undefined;
  }
}
