import type { IncomingMessage, ServerResponse } from 'node:http';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

export const MAX_BODY_BYTES = 256 * 1024;
const MAX_BYTES_PER_CLIENT = 4 * 1024 * 1024;
const RETRY_SECONDS = 5;

export interface BodyLimits {
  readonly readClient: (request: IncomingMessage) => string;
  readonly maxBytesPerClient?: number;
}

const errors = new WeakMap<IncomingMessage, WorkspaceError>();

export function bodyLimitError(request: IncomingMessage): WorkspaceError | undefined {
  return errors.get(request);
}

/**
 * Limits the bytes of request bodies that one client sends at a time. A body counts with its Content-Length,
 * or with MAX_BODY_BYTES if it is chunked, from its headers until it has arrived or its connection has
 * closed. Loopback clients are exempt.
 */
export class BodyLimiter {
  readonly #readClient: BodyLimits['readClient'];
  readonly #maxBytes: number;
  /** Bytes by client key. */
  // Invariant: no count is 0.
  readonly #pendingBytes = new Map<string, number>();

  constructor({ readClient, maxBytesPerClient }: BodyLimits) {
    this.#readClient = readClient;
    this.#maxBytes = maxBytesPerClient ?? MAX_BYTES_PER_CLIENT;
  }

  /** Must be called with each request of the server. */
  reserve(request: IncomingMessage, response: ServerResponse): void {
    const bytes = expectedBytes(request);
    if (bytes === 0) return;
    const isUnread = request.method !== 'POST' && request.headers['transfer-encoding'] !== undefined;
    // Otherwise Node would read the rest of the body before the next request.
    if (bytes > MAX_BODY_BYTES || isUnread) response.setHeader('Connection', 'close');
    const client = this.#readClient(request);
    if (bytes > MAX_BODY_BYTES || client === LOOPBACK_CLIENT) return;
    if ((this.#pendingBytes.get(client) ?? 0) + bytes > this.#maxBytes) {
      const detail =
        `Your network is sending more than ${this.#maxBytes} bytes of request bodies at once; ` +
        'send fewer requests at a time.';
      const rest = { limit: 'bodyBytesPerNetwork', retryAfterSeconds: RETRY_SECONDS } as const;
      errors.set(request, new WorkspaceError('rate_limited', detail, rest));
      response.setHeader('Connection', 'close');
      return;
    }
    this.#add(client, bytes);
    let released = false;
    const release = (): void => {
      if (!released) this.#add(client, -bytes);
      released = true;
    };
    request.once('close', release);
    // A request whose body is never read may emit no `close`.
    response.once('close', release);
  }

  #add(client: string, bytes: number): void {
    const pending = (this.#pendingBytes.get(client) ?? 0) + bytes;
    if (pending > 0) this.#pendingBytes.set(client, pending);
    else this.#pendingBytes.delete(client);
  }
}

/** The announced length of a body; MAX_BODY_BYTES if it is chunked. */
export function expectedBytes({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : MAX_BODY_BYTES;
}
