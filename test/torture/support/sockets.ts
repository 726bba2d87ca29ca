import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Sandbox } from './sandbox.ts';
import { secondsSince } from './time.ts';

/** Text that a client sends at first, and text that it then sends every second. Both may be empty. */
export interface SendPattern {
  readonly initial: string;
  readonly repeated: string;
}

const RECONNECT_MS = 2000;

/** Clients that keep their connections open, and reconnect when the server closes one. */
export class SlowClients {
  readonly #port: number;
  readonly #sockets = new Map<Socket, SendPattern>();
  #cutOff = 0;
  #closed = false;

  constructor(sandbox: Sandbox, url: string) {
    this.#port = Number(new URL(url).port);
    const timer = setInterval(() => {
      for (const [socket, { repeated }] of this.#sockets)
        if (repeated !== '' && socket.writable) socket.write(repeated);
    }, 1000);
    sandbox.defer(() => {
      clearInterval(timer);
      this.close();
    });
  }

  get cutOff(): number {
    return this.#cutOff;
  }

  add(count: number, pattern: SendPattern): void {
    for (let n = 0; n < count; n++) this.#connect(pattern);
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets.keys()) socket.destroy();
  }

  #connect(pattern: SendPattern): void {
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.set(socket, pattern);
    socket.on('error', () => undefined).resume();
    if (pattern.initial !== '') socket.write(pattern.initial);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#closed) return;
      this.#cutOff += 1;
      setTimeout(() => {
        if (!this.#closed) this.#connect(pattern);
      }, RECONNECT_MS);
    });
  }
}

export interface TimedResponse {
  /** 0 without a response. */
  readonly status: number;
  readonly seconds: number;
  readonly text: string;
}

const RESPONSE_TIMEOUT_MS = 20_000;

/** Sends a request over a new connection. Without a response `seconds` is the time until the failure. */
export function timedRequest(
  url: string,
  method: 'GET' | 'POST',
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TimedResponse> {
  const start = performance.now();
  const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
  return new Promise((resolve) => {
    const fail = (): void => {
      resolve({ status: 0, seconds: secondsSince(start), text: '' });
    };
    const clientRequest = request(
      url + path,
      {
        method,
        agent: false,
        signal,
        headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
          })
          .on('error', fail);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, seconds: secondsSince(start), text });
        });
      },
    );
    clientRequest.on('error', fail).end(body);
  });
}
