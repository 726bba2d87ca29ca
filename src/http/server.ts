import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TransportCode } from './error-table.ts';
import { createProblem } from './problem.ts';

/** Bounds that keep slow and greedy clients from taking the machine from the others. */
const BOUNDS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  // Node would refuse on its own, without a body.
  requireHostHeader: false,
};

/** How long a client that was refused has to read why. */
const LINGER_MS = 1000;

const REFUSALS: Readonly<Record<string, readonly [TransportCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The request line and headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
const MALFORMED: readonly [TransportCode, string] = [
  'malformed_json',
  'This is not a well-formed HTTP request.',
];

/** Bounded, and without anybody yet to answer its requests. */
export function createHttpServer(): Server {
  const server = createServer(BOUNDS);
  server.on('connection', (socket: Socket) => {
    // Reading the address here makes the socket remember it. After a reset it could not be read any more, and requests that
    // arrived before the reset would count for no network.
    if (socket.remoteAddress === undefined) socket.destroy();
  });
  server.on('request', (request) => {
    request.url = toOriginForm(request.url ?? '/');
  });
  // Node would answer 417 without a body; whoever expects something unknown may as well be served.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    refuse(socket, ...(REFUSALS[error.code ?? ''] ?? MALFORMED));
  });
  return server;
}

/** Printable ASCII but the number sign, behind one slash. */
const PLAIN_TARGET = /^\/(?!\/)[!"$-~]*$/;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Brings the target of a request to one spelling, which the guards, the fast path and the router all read alike. It may
 * name its whole address, of which Express cannot read every host.
 */
function toOriginForm(target: string): string {
  if (PLAIN_TARGET.test(target)) return target;
  const rest = target.replace(SCHEME_AND_HOST, '');
  const path = rest === target || rest.startsWith('/') ? rest : `/${rest}`;
  return (
    path
      // A client joins a base address that ends in a slash to a path that begins with one.
      .replace(/^\/{2,}/, '/')
      // No client sends a fragment; the router would drop it, and a guard that did not would see another path.
      .replace(/#.*$/s, '')
      // Node reads each byte as a character; the router would trim U+00A0.
      .replaceAll(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  );
}

/** What Node's parser refuses never becomes a request, so it is answered on the wire. */
function refuse(socket: Duplex, code: TransportCode, detail: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const problem = createProblem(code, detail);
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${problem.status} ${problem.title}`,
      'Content-Type: application/problem+json',
      'Cache-Control: no-store',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  // The other side may never close its end, and would keep one of our connections.
  setTimeout(() => {
    socket.destroy();
  }, LINGER_MS).unref();
}
