import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BodyLimiter, type BodyLimits } from './body.ts';
import type { Logger, NetworkRules } from '#http/options/app-options.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { createPeerReader, type CallerReader } from './client.ts';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limit.ts';

/** Node looks this often whether a connection has written anything. */
const STALL_TIMEOUT_MS = 30_000;
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const MAX_PIPELINED = 256;

interface ClientLimits
  extends Pick<ConnectionLimits, 'openFiles' | 'maxPerPeer'>,
    Omit<UnreadLimits, 'readClient'>,
    Omit<BodyLimits, 'readClient'> {
  readonly network: NetworkRules;
  readonly readCaller: CallerReader;
  readonly logger: Logger;
}

/**
 * Limits the connections, unread responses and incoming request bodies of one client. Must be called before
 * any other listener of `request` is added.
 */
export function limitClients(
  server: Server,
  { network, readCaller, logger, ...limits }: ClientLimits,
): ConnectionLimiter {
  const options = {
    ...limits,
    readClient: (request) => readCaller(request).clientKey,
  } satisfies UnreadLimits & BodyLimits;
  let warned = false;
  const unread = new UnreadLimiter(server, options);
  const bodies = new BodyLimiter(options);
  const connections = new ConnectionLimiter(server, {
    ...limits,
    readPeer: createPeerReader(network),
    onRefused: () => {
      if (!warned)
        logger.warn(
          {},
          'refused a connection of a peer with too many busy ones; if it is a proxy, see TRUSTED_PROXIES',
        );
      warned = true;
    },
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    unread.watch(request, response);
    bodies.reserve(request, response);
    connections.recordRequest(response);
  });
  return connections;
}

interface UnreadLimits {
  readonly readClient: (request: IncomingMessage) => string;
  readonly stallTimeoutMs?: number;
  /** Unread bytes in the responses of all connections of one client, at most. */
  readonly maxUnreadBytes?: number;
}

/**
 * Limits the bytes that clients leave unread. A connection with unread bytes that makes no progress is reset,
 * by the timeout of Node's sockets; one without unread bytes may stay idle. A client with too many unread
 * bytes loses the connections whose responses have waited longest.
 */
export class UnreadLimiter {
  readonly #readClient: UnreadLimits['readClient'];
  readonly #maxUnreadBytes: number;
  /** Connections with a complete response that is not yet read, by client key, oldest response first. */
  // Invariant: no set is empty.
  readonly #unread = new Map<string, Set<Socket>>();

  constructor(server: Server, { readClient, stallTimeoutMs, maxUnreadBytes }: UnreadLimits) {
    this.#readClient = readClient;
    this.#maxUnreadBytes = maxUnreadBytes ?? MAX_UNREAD_BYTES;
    server.setTimeout(stallTimeoutMs ?? STALL_TIMEOUT_MS, (socket: Socket) => {
      if (socket.writableLength > 0) socket.resetAndDestroy();
      // Between two requests the timeout is `server.keepAliveTimeout`. With a listener, Node closes nothing.
      else if (socket.timeout !== server.timeout) socket.destroy();
    });
  }

  /** Must be called with each request of the server. */
  watch(request: IncomingMessage, response: ServerResponse): void {
    response.once('prefinish', () => {
      const { socket } = response;
      if (socket !== null && socket.writableLength > 0)
        this.#count(this.#readClient(request), response, socket);
    });
  }

  #count(client: string, response: ServerResponse, socket: Socket): void {
    if (client === LOOPBACK_CLIENT) return;
    const sockets = this.#unread.get(client) ?? new Set();
    // The new response itself is always sent.
    let unread = socket.writableLength;
    for (const other of sockets) unread += other.writableLength;
    for (const oldest of sockets) {
      if (unread <= this.#maxUnreadBytes) break;
      unread -= oldest.writableLength;
      oldest.resetAndDestroy();
    }
    this.#unread.set(client, sockets.add(socket));
    response.once('close', () => {
      if (sockets.delete(socket) && sockets.size === 0) this.#unread.delete(client);
    });
  }
}

interface Pipeline {
  last: ServerResponse | undefined;
  waiting: number;
}

/**
 * Handles the pipelined requests of each connection one after the other. Node would call the listener for all
 * of them at once and buffer every response until the previous ones are read, so that one packet could
 * request a thousand large pages. A connection with too many waiting requests is closed.
 */
export function handleInOrder(listener: RequestListener, maxWaiting = MAX_PIPELINED): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  return (request, response) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (pipeline === undefined) pipelines.set(socket, (pipeline = { last: undefined, waiting: 0 }));
    const { last } = pipeline;
    pipeline.last = response;
    if (last?.writableFinished !== false) {
      listener(request, response);
      return;
    }
    pipeline.waiting += 1;
    if (pipeline.waiting > maxWaiting) {
      socket.destroy();
      return;
    }
    last.once('close', () => {
      pipeline.waiting -= 1;
      if (!socket.destroyed) listener(request, response);
    });
  };
}
