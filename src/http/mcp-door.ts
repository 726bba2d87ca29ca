import { Router, type Request, type RequestHandler } from 'express';
import type { Caller } from '#workspace/caller.ts';
import cors from 'cors';
import { readJson } from './body.ts';
import type { FastCalls } from './fast-calls.ts';
import type { DoorRules, House } from './house.ts';
import { TransportError, type Problem } from './problem.ts';

export const MCP_PATH = '/mcp';

/** The router lets a slash follow. */
export function isMcp({ path }: Request): boolean {
  return path === MCP_PATH || path === `${MCP_PATH}/`;
}

/** JSON-RPC's codes, and one of the range left to servers. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const REFUSED = -32000;

/** Makes the checks that the specification of MCP asks of a server that browsers can reach. */
export function mcpGateOf({ door }: House): Router {
  const router = Router({ caseSensitive: true });
  router.all(
    MCP_PATH,
    refuseStrangers(door),
    cors({
      // Whoever is still here may read.
      origin: true,
      methods: ['POST'],
      exposedHeaders: ['Retry-After', 'Mcp-Protocol-Version'],
      maxAge: 600,
    }),
  );
  return router;
}

export function mcpDoorOf({ mcp }: House, caller: (request: Request) => Caller, fast: FastCalls): Router {
  const router = Router({ caseSensitive: true });
  router.post(MCP_PATH, refuseMediaTypes, ...readJson, async (request, response) => {
    const body = request.body as unknown;
    if (Array.isArray(body))
      throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    if (!mcp.isMessage(body)) throw new InvalidMessage('The body is not a JSON-RPC 2.0 message.');
    if (!mcp.namesRevision(body as never)) refuseVersions(request, mcp.protocolVersions);
    response.set('Cache-Control', 'no-store');
    const text = await mcp.handle(request, response, body as never, caller(request));
    if (text !== undefined) fast.keep(request, response, text);
  });
  router.all(MCP_PATH, () => {
    throw new TransportError(
      'method_not_allowed',
      'There is nothing to stream here; send JSON-RPC messages with POST.',
      {
        Allow: 'POST, OPTIONS',
      },
    );
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
    if (!isHost(host) || (allowedHosts !== null && !isAllowed(host.toLowerCase(), allowedHosts))) {
      throw new TransportError('forbidden_host', 'This Host header is not served here; see ALLOWED_HOSTS.');
    }
    if (origin !== undefined && !isAllowed(origin.toLowerCase(), allowedOrigins)) {
      throw new TransportError(
        'forbidden_origin',
        'This Origin is not allowed to use /mcp; see ALLOWED_ORIGINS.',
      );
    }
    next();
  };
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/** The SDK makes an address of it, and words the failure itself. */
function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`);
}

/** An entry without a port stands for any port. */
function isAllowed(given: string, allowed: readonly string[]): boolean {
  return allowed.includes(given) || allowed.includes(given.replace(/:\d+$/, ''));
}

const refuseMediaTypes: RequestHandler = (request, _response, next) => {
  const accepts = request.headers.accept ?? '';
  if (!accepts.includes('application/json') || !accepts.includes('text/event-stream')) {
    throw new TransportError(
      'not_acceptable',
      'Send the header Accept: application/json, text/event-stream.',
    );
  }
  next();
};

function refuseVersions(request: Request, versions: readonly string[]): void {
  const version = request.get('Mcp-Protocol-Version');
  if (version !== undefined && !versions.includes(version)) {
    throw new InvalidMessage(`This protocol version is not served; served are ${versions.join(', ')}.`);
  }
}

/** Words a refusal as MCP clients expect it: a JSON-RPC error without an id, the problem in its data. */
export function toRpcError(error: unknown, problem: Problem): object {
  const code =
    error instanceof InvalidMessage
      ? INVALID_REQUEST
      : problem.code === 'malformed_json'
        ? PARSE_ERROR
        : problem.code === 'internal'
          ? INTERNAL_ERROR
          : REFUSED;
  return { jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data: problem } };
}
