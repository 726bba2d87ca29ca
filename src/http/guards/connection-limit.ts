import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_CONNECTIONS = 10_000;
const MAX_CONNECTIONS_PER_PEER = 200;

/** For the store's files, the log, and what Node itself holds open. */
const OTHER_FILES = 64;

/** How many connections come in at once before an idle one is closed. */
const BURST = 16;

interface LastRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Connection {
  readonly socket: Socket;
  /** Undefined if the connections of this peer are not counted. */
  readonly peer: string | undefined;
  lastRequest: LastRequest | undefined;
  /** Rises with every request, and orders the connections of a peer. */
  lastActive: number;
}

export interface ConnectionLimits {
  /** How many files the system lets the process have open. */
  readonly openFiles: number;
  readonly maxPerPeer?: number;
  /** @returns the network of the other end, or undefined where any number of connections is good */
  readonly peerOf: (socket: Socket) => string | undefined;
  /** Called for each connection that is refused because its peer holds too many that are busy. */
  readonly onRefused: () => void;
}

/**
 * Bounds the open connections, of each peer and of all together. When full, it closes the connection that has been idle
 * longest, so a client that holds many sockets cannot lock others out. Idle is a connection that has sent no whole request, or
 * whose answer is complete, read or not.
 */
export class ConnectionLimiter {
  /** How many there may be, all peers together. */
  readonly max: number;
  readonly #limits: ConnectionLimits;
  readonly #maxPerPeer: number;
  /** In the order of their last request. */
  readonly #connections = new Map<Socket, Connection>();
  // Invariant: no set is empty.
  readonly #byPeer = new Map<string, Set<Connection>>();
  #requests = 0;

  constructor(server: Server, limits: ConnectionLimits) {
    this.#limits = limits;
    this.#maxPerPeer = limits.maxPerPeer ?? MAX_CONNECTIONS_PER_PEER;
    this.max = Math.max(BURST, Math.min(MAX_CONNECTIONS, limits.openFiles - OTHER_FILES - BURST));
    server.maxConnections = this.max + BURST;
    server.on('connection', (socket: Socket) => {
      this.#open(socket);
    });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#noteRequest(request.socket, { request, response });
    });
  }

  /** Closes every idle connection. */
  closeIdle(): void {
    for (const connection of [...this.#connections.values()]) if (isIdle(connection)) this.#close(connection);
  }

  #open(socket: Socket): void {
    const peer = this.#limits.peerOf(socket);
    const ofPeer = peer === undefined ? undefined : this.#byPeer.get(peer);
    if (ofPeer !== undefined && ofPeer.size >= this.#maxPerPeer && !this.#evictIdlestOf(ofPeer)) {
      this.#limits.onRefused();
      socket.destroy();
      return;
    }
    if (this.#connections.size >= this.max) this.#evictIdlest();
    const connection = { socket, peer, lastRequest: undefined, lastActive: ++this.#requests };
    this.#connections.set(socket, connection);
    if (peer !== undefined) this.#byPeer.set(peer, (this.#byPeer.get(peer) ?? new Set()).add(connection));
    socket.once('close', () => {
      this.#remove(connection);
    });
  }

  #noteRequest(socket: Socket, lastRequest: LastRequest): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.lastRequest = lastRequest;
    connection.lastActive = ++this.#requests;
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

  /** @returns whether there was an idle one */
  #evictIdlestOf(connections: ReadonlySet<Connection>): boolean {
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

function isIdle({ lastRequest }: Connection): boolean {
  return lastRequest === undefined || !lastRequest.request.complete || lastRequest.response.writableEnded;
}
