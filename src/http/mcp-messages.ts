import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { MCP_HEADERS } from './guards/access.ts';
import { readJson } from './guards/body.ts';
import { createTypeCheck, namesEventStream } from './responses/accept.ts';
import { TransportError } from './responses/problem.ts';
import { joinHeaders, type Reply, type Route } from './responses/reply.ts';
import type { McpEndpoint, McpMessage, RpcResponse } from '#tool/mcp-endpoint.ts';

export class InvalidMessage extends TransportError {
  /** Members of the error's `data` besides the problem. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(detail: string, data: InvalidMessage['data'] = {}) {
    super('malformed_json', detail);
    this.data = data;
  }
}

/** The maximum length of a header that an SDK may repeat in an error because it differs from the message. */
const MAX_HEADER_CHARACTERS = 256;

/** Creates the function that serves the POSTs to an endpoint. Each body must be one JSON-RPC message. */
export function createMessageHandler(mcp: McpEndpoint, commonHeaders: OutgoingHttpHeaders): Route['serve'] {
  const headers = { ...commonHeaders, 'Cache-Control': 'no-store' };
  const toReply = ({ before, after, status = 200 }: RpcResponse): Reply => {
    const length = Buffer.byteLength(before) + Buffer.byteLength(after);
    const contentHeaders = { 'content-type': 'application/json', 'content-length': length };
    return { status, headers: joinHeaders(headers, contentHeaders), body: before, tail: after };
  };
  return async ({ request, response, caller }) => {
    const body = await readJson(request);
    const message = mcp.parse(body, request.headers);
    if (message === undefined) throw new InvalidMessage(Array.isArray(body) ? IS_BATCH : mcp.invalidMessage);
    const { accept } = request.headers;
    if (!(message.isStream ? acceptsStream : acceptsJson)(accept))
      throw new TransportError('not_acceptable', NOT_ACCEPTABLE);
    if (!message.isUsual || message.mayWait) checkHeaders(request, message, mcp.protocolVersions);
    const mayStream = message.mayWait && namesEventStream(accept);
    const rpcResponse = await mcp.respond(message, { request, response, caller, headers, mayStream });
    return rpcResponse && toReply(rpcResponse);
  };
}

function checkHeaders(
  { headers }: IncomingMessage,
  { needsVersionHeader }: McpMessage,
  versions: readonly string[],
): void {
  if (MCP_HEADERS.some((name) => String(headers[name] ?? '').length > MAX_HEADER_CHARACTERS))
    throw new InvalidMessage(`An Mcp- header may have at most ${MAX_HEADER_CHARACTERS} characters.`);
  const version = headers['mcp-protocol-version'] as string | undefined;
  if (needsVersionHeader && version !== undefined && !versions.includes(version)) {
    const detail = `This protocol version is not supported; use one of ${versions.join(', ')}.`;
    throw new InvalidMessage(detail, { supported: versions });
  }
}

const acceptsJson = createTypeCheck('application/json');

const acceptsStream = createTypeCheck('text/event-stream');

const IS_BATCH = 'Send one JSON-RPC message per request; batches are not supported.';

const NOT_ACCEPTABLE =
  'Send the header Accept: application/json, text/event-stream; notification streams need the second type.';
