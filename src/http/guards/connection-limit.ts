import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** `MAX_WAITING_SHARE` of them, 80 %, allows 10,000 calls to wait. */
const MAX_CONNECTIONS = 16_000;
const MAX_CONNECTIONS_PER_PEER = 200;

/** File descriptors for the store, the log and Node itself. */
const OTHER_FILES = 64;

/** Connections above the maximum that Node accepts before an idle one is closed. */
const BURST = 16;

interface Connection {
  readonly socket: Socket;
  /** Undefined if the peer has no separate limit. */
  readonly peer: string | undefined;
  lastRequest: IncomingMessage | undefined;
  lastResponse: ServerResponse | undefined;
  /** `#activityCount` when the connection was opened or sent its last request. */
  lastActive: number;
}

export interface ConnectionLimits {
  /** The limit of open file descriptors of this process. */
  readonly openFiles: number;
  readonly maxPerPeer?: number;
  /** Returns the network of the peer, or undefined if it has no separate limit. */
  readonly readPeer: (socket: Socket) => string | undefined;
  /** Called for each connection that is refused because its peer has too many busy ones. */
  readonly onRefused: () => void;
}

/**
 * Limits the open connections, per peer and in total. When full, it closes the connection that has been idle
 * longest, so a client with many sockets cannot lock others out. A connection is idle if it has sent no
 * complete request, or if its last response is complete, even if it is unread.
 */
export class ConnectionLimiter {
  readonly max: number;
  readonly #limits: ConnectionLimits;
  readonly #maxPerPeer: number;
  // Invariant: ordered by last request, oldest first.
  readonly #connections = new Map<Socket, Connection>();
  // Invariant: no set is empty.
  readonly #byPeer = new Map<string, Set<Connection>>();
  #activityCount = 0;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#maxPerPeer = limits.maxPerPeer ?? MAX_CONNECTIONS_PER_PEER;
    this.max = Math.max(BURST, Math.min(MAX_CONNECTIONS, limits.openFiles - OTHER_FILES - BURST));
    server.maxConnections = this.max + BURST;
    server.on('connection', (socket: Socket) => {
      this.#open(socket);
    });
  }

  closeIdle(): void {
    for (const connection of [...this.#connections.values()]) if (isIdle(connection)) this.#close(connection);
  }

  #open(socket: Socket): void {
    const peer = this.#limits.readPeer(socket);
    const ofPeer = peer === undefined ? undefined : this.#byPeer.get(peer);
    if (ofPeer !== undefined && ofPeer.size >= this.#maxPerPeer && !this.#evictIdlestAmong(ofPeer)) {
      this.#limits.onRefused();
      socket.destroy();
      return;
    }
    if (this.#connections.size >= this.max) this.#evictIdlest();
    const lastActive = ++this.#activityCount;
    const connection = { socket, peer, lastRequest: undefined, lastResponse: undefined, lastActive };
    this.#connections.set(socket, connection);
    if (peer !== undefined) this.#byPeer.set(peer, (this.#byPeer.get(peer) ?? new Set()).add(connection));
    socket.once('close', () => {
      this.#remove(connection);
    });
  }

  /** Must be called with each request of the server. */
  recordRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.lastRequest = request;
    connection.lastResponse = response;
    connection.lastActive = ++this.#activityCount;
    this.#connections.delete(socket);
    this.#connections.set(socket, connection);
  }

  #evictIdlest(): void {
    for (const connection of this.#connections.values()) {
      if (isIdle(connection)) {
        this.#close(connection);
        return;
      }
    }
  }

  /** Closes the connection that has been idle longest. @returns false if none is idle */
  #evictIdlestAmong(connections: ReadonlySet<Connection>): boolean {
    let idlest: Connection | undefined;
    for (const connection of connections) {
      if (isIdle(connection) && connection.lastActive < (idlest?.lastActive ?? Infinity)) idlest = connection;
    }
    if (idlest !== undefined) this.#close(idlest);
    return idlest !== undefined;
  }

  #close(connection: Connection): void {
    this.#remove(connection);
    connection.socket.destroy();
  }

  #remove(connection: Connection): void {
    this.#connections.delete(connection.socket);
    if (connection.peer === undefined) return;
    const ofPeer = this.#byPeer.get(connection.peer);
    if (ofPeer?.delete(connection) === true && ofPeer.size === 0) this.#byPeer.delete(connection.peer);
  }
}

function isIdle({ lastRequest, lastResponse }: Connection): boolean {
  return lastRequest?.complete !== true || lastResponse?.writableEnded === true;
}

/** The soft limit of open files of this process; Infinity without a limit, as on Windows. */
export function openFileLimit(report: typeof process.report): number {
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft : Infinity;
}
