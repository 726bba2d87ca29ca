import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import { WorkspaceError } from '#workspace/errors.ts';

/** Of one request. */
export const MAX_BODY_BYTES = 256 * 1024;
const MAX_BYTES_PER_CLIENT = 4 * 1024 * 1024;
const RETRY_SECONDS = 5;

export interface BodyLimits {
  /** @returns whom a request counts for */
  readonly clientOf: (request: IncomingMessage) => string;
  readonly maxBytesPerClient?: number;
}

const refusals = new WeakMap<IncomingMessage, WorkspaceError>();

/** @returns why the body of a request must not be read */
export function bodyRefusal(request: IncomingMessage): WorkspaceError | undefined {
  return refusals.get(request);
}

/**
 * Bounds the request bodies under way for one client. A body counts with the length that it announces, or with the most that it
 * may have, from its headers until it has arrived or its connection has closed. This machine itself is exempt.
 */
export class BodyLimiter {
  readonly #clientOf: BodyLimits['clientOf'];
  readonly #maxBytes: number;
  // Invariant: no count is 0.
  readonly #underWay = new Map<string, number>();

  constructor(server: Server, { clientOf, maxBytesPerClient }: BodyLimits) {
    this.#clientOf = clientOf;
    this.#maxBytes = maxBytesPerClient ?? MAX_BYTES_PER_CLIENT;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const bytes = bytesToExpect(request);
      if (bytes > 0) this.#reserve(request, response, bytes);
    });
  }

  #reserve(request: IncomingMessage, response: ServerResponse, bytes: number): void {
    const client = this.#clientOf(request);
    if (client === LOOPBACK_CLIENT) return;
    if ((this.#underWay.get(client) ?? 0) + bytes > this.#maxBytes) {
      refusals.set(request, this.#refusal());
      // The rest of the body would have to be read before the next request.
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
    // A request that is answered unread may never close.
    response.once('close', release);
  }

  #add(client: string, bytes: number): void {
    const underWay = (this.#underWay.get(client) ?? 0) + bytes;
    if (underWay > 0) this.#underWay.set(client, underWay);
    else this.#underWay.delete(client);
  }

  #refusal(): WorkspaceError {
    return new WorkspaceError(
      'rate_limited',
      `Your network is sending more than ${this.#maxBytes} bytes of request bodies at once; ` +
        'send fewer requests at a time.',
      { limit: 'bodyBytesPerNetwork', retryAfterSeconds: RETRY_SECONDS },
    );
  }
}

/** A body over the limit of one is refused unread. */
function bytesToExpect({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES;
  const announced = Number(headers['content-length'] ?? 0);
  return announced <= MAX_BODY_BYTES ? announced : 0;
}
