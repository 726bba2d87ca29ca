import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Header } from './headers.ts';

/** A parsed response, with the bytes of its body undecoded. */
export interface RawResponse {
  readonly statusLine: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
}

const END_OF_HEAD = '\r\n\r\n';
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n');

const headerOf = (headers: readonly Header[], name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1];

/** @returns the response at the beginning of `bytes`; undefined if it is incomplete */
function readResponse(bytes: Buffer, isHead: boolean, isClosed: boolean): RawResponse | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const rest = bytes.subarray(end + END_OF_HEAD.length);
  if (statusLine.includes(' 100 ')) return readResponse(rest, isHead, isClosed);
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  if (isHead || / (?:204|304) /.test(statusLine)) return { statusLine, headers, body: Buffer.alloc(0) };
  const length = headerOf(headers, 'content-length');
  const isComplete =
    length !== undefined
      ? rest.length >= Number(length)
      : headerOf(headers, 'transfer-encoding') === 'chunked'
        ? rest.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)
        : isClosed;
  return isComplete ? { statusLine, headers, body: rest } : undefined;
}

/**
 * A client that sends unchanged bytes, one request at a time, and reuses its connection while the server
 * allows it.
 */
export class Connection {
  readonly #port: number;
  readonly #deadlineMs: number;
  #socket: Socket | undefined;

  constructor(url: string, deadlineMs: number) {
    this.#port = Number(new URL(url).port);
    this.#deadlineMs = deadlineMs;
  }

  /** @throws Error if no complete response arrives within the deadline */
  async send(bytes: Buffer, isHead: boolean): Promise<RawResponse> {
    const socket = this.#socket ?? (await this.#open());
    this.#socket = undefined;
    const response = await this.#exchange(socket, bytes, isHead);
    const connection = headerOf(response.headers, 'connection');
    if (connection === 'close' || response.statusLine.startsWith('HTTP/1.0') || socket.destroyed)
      socket.destroy();
    else this.#socket = socket;
    return response;
  }

  close(): void {
    this.#socket?.destroy();
  }

  async #open(): Promise<Socket> {
    const socket = connect(this.#port, '127.0.0.1').setNoDelay();
    // A response before a reset counts; a reset without one is reported by `close`.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  #exchange(socket: Socket, bytes: Buffer, isHead: boolean): Promise<RawResponse> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const deadline = setTimeout(() => {
        settle(undefined, `no response within ${this.#deadlineMs} ms`);
      }, this.#deadlineMs);
      const settle = (response: RawResponse | undefined, reason: string): void => {
        clearTimeout(deadline);
        socket.off('data', onData).off('close', onClose);
        if (response !== undefined) resolve(response);
        else {
          socket.destroy();
          reject(new Error(reason));
        }
      };
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        const response = readResponse(Buffer.concat(chunks), isHead, false);
        if (response !== undefined) settle(response, '');
      };
      const onClose = (): void => {
        settle(readResponse(Buffer.concat(chunks), isHead, true), 'closed without a response');
      };
      socket.on('data', onData).on('close', onClose);
      socket.write(bytes);
    });
  }
}
