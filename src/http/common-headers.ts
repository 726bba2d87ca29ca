import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import { createCorsHeaders, type HeaderMiddleware, MCP_PATH, type AccessPolicy } from './guards/access.ts';
import { PAGE_POLICY } from './pages/layout.ts';

export type CommonHeaders = ReturnType<typeof createCommonHeaders>;

/** Creates the headers of every response: those that restrict browsers, and CORS. */
export function createCommonHeaders(accessPolicy: AccessPolicy) {
  const secure = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
    crossOriginResourcePolicy: { policy: accessPolicy.isLocal ? 'same-origin' : 'cross-origin' },
    strictTransportSecurity: false,
  });
  const middleware = [secure, createCorsHeaders(accessPolicy)];
  return {
    /** Sets the headers of every response of Express, where those of CORS depend on the request. */
    middleware,
    /** The headers that the middleware sets for a request without an Origin. */
    headers: record('GET', '/', middleware),
    /** The same on the MCP endpoints, where those of CORS differ. */
    mcpHeaders: record('POST', MCP_PATH, middleware),
  };
}

/** Records header names in their original case, since `getHeaders()` returns them in lower case. */
class RecordingResponse extends ServerResponse {
  readonly recorded: OutgoingHttpHeaders = {};

  override setHeader(name: string, value: number | string | readonly string[]): this {
    this.recorded[name] = typeof value === 'object' ? [...value] : value;
    return super.setHeader(name, value);
  }
}

/** Records the headers that middleware sets for a request without headers, in their order. */
function record(method: string, url: string, middleware: readonly HeaderMiddleware[]): OutgoingHttpHeaders {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, url });
  const response = new RecordingResponse(request);
  for (const handle of middleware) handle(request, response, () => undefined);
  return response.recorded;
}
