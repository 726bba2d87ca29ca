import { readFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Up to 80% may be used by waiting calls (`MAX_WAITING_SHARE` of the server), more than 10,000. */
const MAX_CONNECTIONS = 16_000;

/** File descriptors reserved for the store, the log and Node itself. */
const OTHER_FILES = 64;

/** How many connections above the maximum Node accepts before an idle one is closed. */
const BURST = 16;

interface Connection {
  readonly socket: Socket;
  /** The connections of its peer; undefined if the peer has no separate limit. */
  readonly ofPeer: Set<Connection> | undefined;
  /** The response to its last request. */
  response: ServerResponse | undefined;
}

export interface ConnectionLimitOptions {
  /** The maximum number of open file descriptors of this process. */
  readonly openFiles: number;
  readonly maxPerPeer?: number;
  /** Returns the network of the peer, or undefined if it has no separate limit. */
  readonly peerOf: (socket: Socket) => string | undefined;
  /** Called for each connection that is refused because its peer has too many busy connections. */
  readonly onRefused: () => void;
}

/**
 * Limits the open connections, per peer and in total. When a limit is reached, the connection that has been
 * idle longest is closed, so a client with many sockets cannot lock others out. A connection is idle if it
 * has sent no complete request, or if its last response is complete, even if the client has not read it.
 */
export class ConnectionLimit {
  readonly max: number;
  readonly #limits: Required<ConnectionLimitOptions>;
  /** Invariant: this map and each set of a peer are in the order of the last request, oldest first. */
  readonly #connections = new Map<Socket, Connection>();
  /** Invariant: no set is empty. */
  readonly #byPeer = new Map<string, Set<Connection>>();

  constructor(server: Server, limits: ConnectionLimitOptions) {
    this.#limits = { maxPerPeer: 200, ...limits };
    this.max = Math.max(BURST, Math.min(MAX_CONNECTIONS, limits.openFiles - OTHER_FILES - BURST));
    server.maxConnections = this.max + BURST;
    server.on('connection', (socket: Socket) => {
      this.#open(socket);
    });
  }

  closeIdle(): void {
    for (const connection of this.#connections.values()) if (isIdle(connection)) connection.socket.destroy();
  }

  #open(socket: Socket): void {
    const peer = this.#limits.peerOf(socket);
    const ofPeer = peer === undefined ? undefined : (this.#byPeer.get(peer) ?? new Set());
    if (ofPeer !== undefined && ofPeer.size >= this.#limits.maxPerPeer && !this.#closeIdlest(ofPeer)) {
      this.#limits.onRefused();
      socket.destroy();
      return;
    }
    if (this.#connections.size >= this.max) this.#closeIdlest(this.#connections.values());
    const connection: Connection = { socket, ofPeer, response: undefined };
    this.#add(connection);
    if (peer !== undefined && ofPeer !== undefined) this.#byPeer.set(peer, ofPeer);
    socket.once('close', () => {
      this.#remove(connection);
      if (peer !== undefined && ofPeer?.size === 0 && this.#byPeer.get(peer) === ofPeer)
        this.#byPeer.delete(peer);
    });
  }

  /** Must be called with each request of the server. */
  recordRequest(response: ServerResponse): void {
    const connection = this.#connections.get(response.req.socket);
    if (connection === undefined) return;
    connection.response = response;
    this.#remove(connection);
    this.#add(connection);
  }

  /** @yields the last response of each open connection, ended or not */
  *lastResponses(): Generator<ServerResponse, void> {
    for (const { response } of this.#connections.values()) if (response !== undefined) yield response;
  }

  /** @param connections longest idle first @returns false if none is idle */
  #closeIdlest(connections: Iterable<Connection>): boolean {
    for (const connection of connections) {
      if (!isIdle(connection)) continue;
      this.#remove(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  }

  #add(connection: Connection): void {
    this.#connections.set(connection.socket, connection);
    connection.ofPeer?.add(connection);
  }

  #remove(connection: Connection): void {
    this.#connections.delete(connection.socket);
    connection.ofPeer?.delete(connection);
  }
}

function isIdle({ response }: Connection): boolean {
  return response?.req.complete !== true || response.writableEnded;
}

/**
 * Returns the soft limit of open files of this process; Infinity without a limit, as on Windows. Node's
 * report contains it on every system, but takes 5 ms at start-up.
 * @param limits the file that contains it on Linux; empty on other systems
 */
export function openFileLimit(report: typeof process.report, limits = readLimits()): number {
  const [, onLinux] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? [];
  if (onLinux !== undefined) return onLinux === 'unlimited' ? Infinity : Number(onLinux);
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files: { soft: number | 'unlimited' } };
  };
  const soft = userLimits?.open_files.soft;
  return typeof soft === 'number' ? soft : Infinity;
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
