import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';

const STALL_TIMEOUT_MS = 30_000;
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/**
 * Checks per stall timeout, so that a stalled connection is reset at most a sixth of the timeout too late.
 */
const CHECKS_PER_TIMEOUT = 6;

export interface UnreadLimits {
  readonly readClient: (request: IncomingMessage) => string;
  readonly stallTimeoutMs?: number;
  /** Unread bytes in the responses of all connections of one client, at most. */
  readonly maxUnreadBytes?: number;
}

interface Connection {
  readonly socket: Socket;
  /** The client key that its unread response counts for; undefined without an unread response. */
  client: string | undefined;
  /** When that response was complete, and the bytes that the kernel had accepted by then. */
  completedAt: number;
  deliveredBefore: number;
  /** The last check that found unread bytes and progress. */
  progress: { readonly at: number; readonly delivered: number } | undefined;
}

/**
 * Limits the bytes that clients leave unread. A connection with unread bytes that makes no progress is reset;
 * one without unread bytes may stay idle for any time. A client with too many unread bytes loses the
 * connection that reads slowest. One timer serves the whole server, and a response that the kernel accepts at
 * once costs one comparison.
 */
export class UnreadLimiter {
  readonly #readClient: UnreadLimits['readClient'];
  readonly #stallTimeoutMs: number;
  readonly #maxUnreadBytes: number;
  readonly #connections = new Map<Socket, Connection>();
  /** Connections with an unread response, by client key. */
  // Invariant: no set is empty, and every connection has the key of its set as `client`.
  readonly #unread = new Map<string, Set<Connection>>();

  constructor(server: Server, { readClient, stallTimeoutMs, maxUnreadBytes }: UnreadLimits) {
    this.#readClient = readClient;
    this.#stallTimeoutMs = stallTimeoutMs ?? STALL_TIMEOUT_MS;
    this.#maxUnreadBytes = maxUnreadBytes ?? MAX_UNREAD_BYTES;
    server.on('connection', (socket: Socket) => {
      this.#open(socket);
    });
    const checking = setInterval(() => {
      this.#resetStalled();
    }, this.#stallTimeoutMs / CHECKS_PER_TIMEOUT).unref();
    server.once('close', () => {
      clearInterval(checking);
    });
  }

  /** Must be called with each request of the server. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    response.on('prefinish', () => {
      const { socket } = response;
      if (socket !== null && socket.writableLength > 0) this.#count(request, socket);
    });
  }

  #open(socket: Socket): void {
    const connection: Connection = {
      socket,
      client: undefined,
      completedAt: 0,
      deliveredBefore: 0,
      progress: undefined,
    };
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      this.#settle(connection);
    });
  }

  #resetStalled(): void {
    const at = performance.now();
    for (const connection of this.#connections.values()) {
      const { socket, progress } = connection;
      if (socket.writableLength === 0) {
        connection.progress = undefined;
        this.#settle(connection);
        continue;
      }
      const delivered = deliveredBytes(socket);
      if (progress?.delivered !== delivered) connection.progress = { at, delivered };
      else if (at - progress.at >= this.#stallTimeoutMs) socket.resetAndDestroy();
    }
  }

  #count(request: IncomingMessage, socket: Socket): void {
    const client = this.#readClient(request);
    const connection = this.#connections.get(socket);
    if (client === LOOPBACK_CLIENT || connection === undefined) return;
    this.#settle(connection);
    const others = this.#unread.get(client) ?? new Set();
    connection.client = client;
    connection.completedAt = performance.now();
    connection.deliveredBefore = deliveredBytes(socket);
    this.#resetSlowest(others, this.#maxUnreadBytes - socket.writableLength);
    this.#unread.set(client, others.add(connection));
  }

  /** Resets connections until at most `maxBytes` are unread. The new response itself is always sent. */
  #resetSlowest(connections: ReadonlySet<Connection>, maxBytes: number): void {
    let unread = 0;
    for (const connection of connections) {
      if (connection.socket.writableLength === 0) this.#settle(connection);
      else unread += connection.socket.writableLength;
    }
    const now = performance.now();
    while (unread > maxBytes && connections.size > 0) {
      const slowest = [...connections].reduce((a, b) =>
        deliverySpeed(b, now) < deliverySpeed(a, now) ? b : a,
      );
      unread -= slowest.socket.writableLength;
      this.#settle(slowest);
      slowest.socket.resetAndDestroy();
    }
  }

  #settle(connection: Connection): void {
    const { client } = connection;
    if (client === undefined) return;
    connection.client = undefined;
    const unread = this.#unread.get(client);
    if (unread?.delete(connection) === true && unread.size === 0) this.#unread.delete(client);
  }
}

/** Bytes of its response that the kernel accepted per millisecond. */
function deliverySpeed({ socket, completedAt, deliveredBefore }: Connection, now: number): number {
  return (deliveredBytes(socket) - deliveredBefore) / Math.max(1, now - completedAt);
}

/**
 * The number of bytes that the kernel has accepted. `socket.bytesWritten` includes the queue of libuv, where
 * one large buffer may wait for minutes while a slow client reads it; only the internal handle has the size
 * of that queue. Without a handle, progress is visible only after a whole buffer.
 */
function deliveredBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & {
    _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
  };
  if (handle?.bytesWritten === undefined || handle.writeQueueSize === undefined)
    return socket.bytesWritten - socket.writableLength;
  return handle.bytesWritten - handle.writeQueueSize;
}
