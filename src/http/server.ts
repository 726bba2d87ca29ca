import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MCP_HEADERS } from './guards/access.ts';
import { createProblem, ERRORS, REQUEST_BOUNDS, type TransportCode } from './responses/problem.ts';
import { LINGER_TIMEOUT_MS } from './responses/reply.ts';

const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: REQUEST_BOUNDS.arrivalMs,
  connectionsCheckingInterval: 2_000,
  // Longer than proxies keep an idle connection (Caddy two minutes, nginx, Varnish and AWS one). Otherwise a
  // proxy could send a request on a connection that is being closed. Node's default is 5 s.
  keepAliveTimeout: 125_000,
  maxHeaderSize: REQUEST_BOUNDS.headBytes,
  // Node would send an empty 400 to a request without Host; `createRequestCheck` sends a problem.
  requireHostHeader: false,
};

const PARSER_ERRORS: Readonly<Record<string, readonly [TransportCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', ERRORS.headers_too_large.when],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
};
const MALFORMED: readonly [TransportCode, string] = [
  'malformed_request',
  'This is not a well-formed HTTP request.',
];

/** Creates a server with limits and without a request handler. */
export function createHttpServer(limits: Partial<typeof LIMITS> = {}): Server {
  const server = createServer({ ...LIMITS, ...limits });
  // Node would drop headers after the thousandth, so that no guard saw them. `maxHeaderSize` limits them.
  server.maxHeadersCount = 0;
  server.on('connection', (socket: Socket) => {
    // Reading the IP address makes the socket cache it. After a reset it could not be read, and requests that
    // had arrived before would not count for any network.
    if (socket.remoteAddress === undefined) socket.destroy();
  });
  server.on('request', (request) => {
    request.url = toOriginForm(request.url ?? '/');
    collapseRepeated(request.headers);
  });
  // RFC 9110 section 10.1.1 lets a server ignore an unknown expectation. Node would send an empty 417.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    sendProblem(socket, ...(PARSER_ERRORS[error.code ?? ''] ?? MALFORMED));
  });
  return server;
}

/** Replaces equal values, which Node joins with commas, by one. Clients and proxies repeat headers. */
function collapseRepeated(headers: IncomingHttpHeaders): void {
  for (const name of MCP_HEADERS) {
    const value = headers[name] as string | undefined;
    if (value?.includes(',') !== true) continue;
    const [first, ...others] = new Set(value.split(',').map((part) => part.trim()));
    if (first !== undefined && others.length === 0) headers[name] = first;
  }
}

/** One slash, then printable ASCII without `#`. */
const PLAIN_TARGET = /^\/(?!\/)[!"$-~]*$/;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Normalizes the target of a request to origin form (RFC 9112 section 3.2.1), so that the guards, the routes
 * and Express see the same path. Express cannot parse every host of a target in absolute form.
 */
function toOriginForm(target: string): string {
  if (PLAIN_TARGET.test(target)) return target;
  const rest = target.replace(SCHEME_AND_HOST, '');
  const path = rest === target || rest.startsWith('/') ? rest : `/${rest}`;
  return (
    path
      // Some clients join a base URL that ends with a slash and a path that begins with one.
      .replace(/^\/{2,}/, '/')
      // The router drops the fragment, and the guards must see the same path.
      .replace(/#.*/s, '')
      // Node decodes each byte as one character. The router would trim U+00A0.
      .replaceAll(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
  );
}

/** Writes a response to the socket, because Node creates no request for input that its parser refuses. */
function sendProblem(socket: Duplex, code: TransportCode, detail: string): void {
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
  // A client that never closes its end would keep the connection open.
  setTimeout(() => {
    socket.destroy();
  }, LINGER_TIMEOUT_MS).unref();
}
