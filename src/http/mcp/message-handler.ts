import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { McpEndpoint } from '#http/options/app-options.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { createTypeCheck, namesEventStream } from '#http/responses/accept.ts';
import { TransportError } from '#http/responses/problem.ts';
import { joinHeaders } from '#http/responses/reply.ts';
import type { RpcResponse } from '#tool/cached-result.ts';

export class InvalidMessage extends TransportError {
  /** Members of the error's `data` besides the problem. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(detail: string, data: InvalidMessage['data'] = {}) {
    super('malformed_json', detail);
    this.data = data;
  }
}

type MessageHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
  caller: Caller,
) => Promise<void>;

/**
 * Creates a function that responds to the parsed body of a POST, which must be one JSON-RPC message.
 * The function throws TransportError malformed_json or not_acceptable.
 * @param commonHeaders of every response, unless middleware has set them
 */
export function createMessageHandler(
  mcp: McpEndpoint,
  commonHeaders: OutgoingHttpHeaders = {},
): MessageHandler {
  const headers = joinHeaders(commonHeaders, { 'Cache-Control': 'no-store' });
  return async (request, response, body, caller) => {
    const { accept } = request.headers;
    const answer = acceptsJson(accept) ? mcp.answer(body, request.headers, caller) : undefined;
    if (answer !== undefined) {
      send(response, await answer, headers);
      return;
    }
    if (Array.isArray(body)) {
      throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    }
    const message = mcp.receive(body);
    if (message === undefined) throw new InvalidMessage(mcp.invalidMessage);
    checkAccept(accept, message.isStream);
    if (message.isOfHeaderVersion) checkVersion(request, mcp.protocolVersions);
    const exchange = { request, response, caller, mayStream: namesEventStream(accept), headers };
    const reply = await message.serve(exchange);
    if (reply !== undefined) send(response, reply, headers);
  };
}

function send(
  response: ServerResponse,
  { before, after, status = 200 }: RpcResponse,
  headers: OutgoingHttpHeaders,
): void {
  const length = Buffer.byteLength(before) + Buffer.byteLength(after);
  const own = { 'content-type': 'application/json', 'content-length': length };
  response.writeHead(status, joinHeaders(headers, own)).write(before);
  response.end(after);
}

function checkVersion({ headers }: IncomingMessage, versions: readonly string[]): void {
  const version = headers['mcp-protocol-version'] as string | undefined;
  if (version !== undefined && !versions.includes(version)) {
    const detail = `This protocol version is not served; served are ${versions.join(', ')}.`;
    throw new InvalidMessage(detail, { supported: versions });
  }
}

const acceptsJson = createTypeCheck('application/json');

const acceptsStream = createTypeCheck('text/event-stream');

/** @throws TransportError not_acceptable */
function checkAccept(header: string | undefined, isStream: boolean): void {
  if (isStream ? acceptsStream(header) : acceptsJson(header)) return;
  throw new TransportError(
    'not_acceptable',
    'Send the header Accept: application/json, text/event-stream; notification streams need the second type.',
  );
}
