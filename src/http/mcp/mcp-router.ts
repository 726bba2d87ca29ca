import { Router, type Request } from 'express';
import { readJson } from '#http/read-json.ts';
import type { HttpContext } from '#http/http-context.ts';
import { TransportError } from '#http/problem.ts';
import { checkAccept } from './accept.ts';
import { MCP_PATH } from './mcp-path.ts';
import { InvalidMessage } from './rpc-error.ts';

/** The MCP endpoint: each POST carries one JSON-RPC message. */
export function createMcpRouter({ options: { mcp }, readerOf }: HttpContext): Router {
  const router = Router({ caseSensitive: true });
  router.post(MCP_PATH, ...readJson, async (request, response) => {
    const body = request.body as unknown;
    if (Array.isArray(body)) {
      throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    }
    if (!mcp.isMessage(body)) throw new InvalidMessage(mcp.invalidMessage);
    checkAccept(request.headers.accept, mcp.isStream(body as never));
    if (!mcp.namesRevision(body as never)) checkVersion(request, mcp.protocolVersions);
    response.set('Cache-Control', 'no-store');
    await mcp.handle(request, response, body as never, readerOf(request, response));
  });
  router.all(MCP_PATH, () => {
    throw new TransportError(
      'method_not_allowed',
      'There is nothing to stream here; send JSON-RPC messages with POST.',
      { Allow: 'POST, OPTIONS' },
    );
  });
  return router;
}

function checkVersion(request: Request, versions: readonly string[]): void {
  const version = request.get('Mcp-Protocol-Version');
  if (version !== undefined && !versions.includes(version)) {
    throw new InvalidMessage(`This protocol version is not served; served are ${versions.join(', ')}.`);
  }
}
