import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';

export interface UnreadLimitOptions {
  readonly clientKeyOf: (request: IncomingMessage) => string;
  /** How often Node checks whether a connection has written anything. */
  readonly stallTimeoutMs?: number;
  /** The maximum unread bytes of all connections of one client. */
  readonly maxUnreadBytes?: number;
  /** The maximum unread bytes of all clients. */
  readonly maxUnreadOfAll?: number;
  /** How fast a client must read once `stallTimeoutMs` is over. */
  readonly minBytesPerSecond?: number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

interface Unread {
  /** The unread bytes at the last count. */
  bytes: number;
  /** The number of bytes that the client must have read by `dueAt`, counted from its connection. */
  readonly end: number;
  /** A time of `UnreadLimitOptions.now`. */
  readonly dueAt: number;
}

interface UnreadOfClient {
  /** Invariant: the sum of the bytes of its connections. */
  bytes: number;
  /** The longest waiting connection comes first. Invariant: not empty. */
  readonly connections: Map<Socket, Unread>;
}

/**
 * Limits the bytes that clients leave unread. The timeout of Node's sockets resets a connection with unread
 * bytes that makes no progress, and `sweep` one that reads too slowly. Without unread bytes a connection may
 * stay idle. A client with too many unread bytes loses the connections that have waited longest. If all
 * clients together have too many, the client with the most unread bytes loses its longest waiting connection.
 */
export class UnreadLimit {
  readonly #limits: Required<UnreadLimitOptions>;
  readonly #clients = new Map<string, UnreadOfClient>();
  /** Invariant: the sum of the bytes of all clients. */
  #bytes = 0;

  constructor(server: Server, limits: UnreadLimitOptions) {
    this.#limits = {
      stallTimeoutMs: 30_000,
      maxUnreadBytes: 64 * 1024 * 1024,
      maxUnreadOfAll: 96 * 1024 * 1024,
      minBytesPerSecond: 8 * 1024,
      now: () => performance.now(),
      ...limits,
    };
    server.setTimeout(this.#limits.stallTimeoutMs, (socket: Socket) => {
      if (socket.writableLength > 0) socket.resetAndDestroy();
      // Between requests the timeout is `server.keepAliveTimeout`. Node leaves closing to this listener.
      else if (socket.timeout !== server.timeout) socket.destroy();
    });
  }

  /** Must be called with each request of the server. Counts a response once it is complete. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    response.once('prefinish', () => {
      const { socket } = response;
      if (socket === null || socket.writableLength === 0) return;
      const client = this.#limits.clientKeyOf(request);
      this.#count(client, socket);
      response.once('close', () => {
        this.#forget(client, socket);
      });
      this.#limit(client, socket);
    });
  }

  /**
   * Counts all unread bytes again, including those of responses that have not ended, such as event streams.
   * Resets connections that read too slowly. Must be called about every second.
   * @param responses the last response of each open connection
   */
  sweep(responses: Iterable<ServerResponse>): void {
    for (const [client, { connections }] of this.#clients)
      for (const [socket, { end, dueAt }] of connections) {
        // The loop below counts what was written since.
        if (socket.destroyed || socket.bytesWritten - socket.writableLength >= end)
          this.#forget(client, socket);
        else if (this.#limits.now() >= dueAt) this.#reset(client, socket);
      }
    for (const { req: request } of responses) {
      const { socket } = request;
      if (socket.writableLength === 0 || socket.destroyed) continue;
      const client = this.#limits.clientKeyOf(request);
      this.#count(client, socket);
      this.#limit(client, socket);
    }
  }

  #count(client: string, socket: Socket): void {
    const { stallTimeoutMs, minBytesPerSecond, now } = this.#limits;
    const bytes = socket.writableLength;
    const ofClient = this.#clients.get(client) ?? { bytes: 0, connections: new Map<Socket, Unread>() };
    const unread = ofClient.connections.get(socket) ?? {
      bytes: 0,
      end: socket.bytesWritten,
      dueAt: now() + stallTimeoutMs + (1000 * bytes) / minBytesPerSecond,
    };
    ofClient.bytes += bytes - unread.bytes;
    this.#bytes += bytes - unread.bytes;
    unread.bytes = bytes;
    ofClient.connections.set(socket, unread);
    this.#clients.set(client, ofClient);
  }

  /** @param newest the connection that the client loses last */
  #limit(client: string, newest: Socket): void {
    const { maxUnreadBytes, maxUnreadOfAll } = this.#limits;
    const ofClient = this.#clients.get(client);
    for (const oldest of ofClient?.connections.keys() ?? []) {
      // A single response may have any size.
      if (client === LOOPBACK_CLIENT || oldest === newest || (ofClient?.bytes ?? 0) <= maxUnreadBytes) break;
      this.#reset(client, oldest);
    }
    while (this.#bytes > maxUnreadOfAll) {
      const [most] = [...this.#clients].sort(([, a], [, b]) => b.bytes - a.bytes);
      const [oldest] = most?.[1].connections.keys() ?? [];
      if (most === undefined || oldest === undefined) break;
      this.#reset(most[0], oldest);
    }
  }

  #reset(client: string, socket: Socket): void {
    this.#forget(client, socket);
    socket.resetAndDestroy();
  }

  #forget(client: string, socket: Socket): void {
    const ofClient = this.#clients.get(client);
    const bytes = ofClient?.connections.get(socket)?.bytes ?? 0;
    if (ofClient?.connections.delete(socket) !== true) return;
    ofClient.bytes -= bytes;
    this.#bytes -= bytes;
    if (ofClient.connections.size === 0) this.#clients.delete(client);
  }
}
