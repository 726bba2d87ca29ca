import { createServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { problemOf, type TransportCode } from './problem.ts';

/** Bounds that keep slow and greedy clients from taking the machine from the others. */
const BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
};
const MOST_CONNECTIONS = 10_000;

const REFUSALS: Readonly<Record<string, readonly [TransportCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
const MALFORMED: readonly [TransportCode, string] = ['malformed_json', 'This is not a well-formed HTTP request.'];

/** Bounded, and without anybody yet to answer its requests. */
export function createHttpServer(): Server {
  const server = createServer(BOUNDS);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    refuse(socket, ...REFUSALS[error.code ?? ''] ?? MALFORMED);
  });
  return server;
}

/** What Node's parser refuses never becomes a request, so it is answered on the wire. */
function refuse(socket: Duplex, code: TransportCode, detail: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOf(code, detail);
  const body = JSON.stringify(problem);
  socket.end([
    `HTTP/1.1 ${problem.status} ${problem.title}`,
    'Content-Type: application/problem+json',
    'Cache-Control: no-store',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n'));
}
