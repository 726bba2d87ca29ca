import { Router, type Request, type RequestHandler } from 'express';
import type { Caller } from '#workspace/caller.ts';
import cors from 'cors';
import { readJson } from './body.ts';
import type { DoorRules, House } from './house.ts';
import { TransportError, type Problem } from './problem.ts';

export const MCP_PATH = '/mcp';

/** JSON-RPC's codes, and one of the range left to servers. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const REFUSED = -32000;

/** Mounts MCP behind the checks that its specification asks of a server that browsers can reach. */
export function mcpDoorOf({ mcp, door }: House, caller: (request: Request) => Caller): Router {
  const router = Router({ caseSensitive: true });
  router.use(MCP_PATH, refuseStrangers(door), cors({
    origin: (origin, decide) => { decide(null, origin !== undefined && door.allowedOrigins.includes(origin)); },
    exposedHeaders: ['Retry-After', 'Mcp-Protocol-Version'],
    maxAge: 600,
  }));
  router.post(MCP_PATH, refuseMediaTypes, refuseVersions(mcp.protocolVersions), ...readJson, async (request, response) => {
    const body = request.body as unknown;
    if (Array.isArray(body)) throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    if (!mcp.isMessage(body)) throw new InvalidMessage('The body is not a JSON-RPC 2.0 message.');
    response.set('Cache-Control', 'no-store');
    await mcp.handle(request, response, body, caller(request));
  });
  router.all(MCP_PATH, () => {
    throw new TransportError('method_not_allowed', 'There is nothing to stream here; send JSON-RPC messages with POST.', {
      Allow: 'POST, OPTIONS',
    });
  });
  return router;
}

class InvalidMessage extends TransportError {
  constructor(detail: string) {
    super('malformed_json', detail);
  }
}

/** A page that a browser was lured to must not reach a server on this machine through the browser. */
function refuseStrangers({ allowedHosts, allowedOrigins }: DoorRules): RequestHandler {
  return (request, _response, next) => {
    const { host = '', origin } = request.headers;
    if (allowedHosts !== null && !isAllowed(host.toLowerCase(), allowedHosts)) {
      throw new TransportError('forbidden_host', 'This Host header is not served here; see ALLOWED_HOSTS.');
    }
    if (origin !== undefined && !isAllowed(origin.toLowerCase(), allowedOrigins)) {
      throw new TransportError('forbidden_origin', 'This Origin is not allowed to use /mcp; see ALLOWED_ORIGINS.');
    }
    next();
  };
}

/** An entry without a port stands for any port. */
function isAllowed(given: string, allowed: readonly string[]): boolean {
  return allowed.includes(given) || allowed.includes(given.replace(/:\d+$/, ''));
}

const refuseMediaTypes: RequestHandler = (request, _response, next) => {
  const accepts = request.headers.accept ?? '';
  if (!accepts.includes('application/json') || !accepts.includes('text/event-stream')) {
    throw new TransportError('not_acceptable', 'Send the header Accept: application/json, text/event-stream.');
  }
  next();
};

function refuseVersions(versions: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    const version = request.get('Mcp-Protocol-Version');
    if (version !== undefined && !versions.includes(version)) {
      throw new TransportError('malformed_json', `This protocol version is not served; served are ${versions.join(', ')}.`);
    }
    next();
  };
}

/** Words a refusal as MCP clients expect it: a JSON-RPC error without an id, the problem in its data. */
export function toRpcError(error: unknown, problem: Problem): object {
  const code = error instanceof InvalidMessage ? INVALID_REQUEST
    : problem.code === 'malformed_json' ? PARSE_ERROR
      : REFUSED;
  return { jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data: problem } };
}

