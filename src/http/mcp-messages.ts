import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { MCP_HEADERS } from './guards/access.ts';
import { readJson } from './guards/body.ts';
import { createTypeCheck, namesEventStream } from './responses/accept.ts';
import { TransportError } from './responses/problem.ts';
import { joinHeaders, type RouteRequest, type Reply, type Route, watchClosing } from './responses/reply.ts';
import type { RpcResponse } from '#tool/cached-result.ts';
import type { Caller } from '#workspace/service/caller.ts';

/** A request that carries a message, and its response. */
interface McpExchange extends Omit<RouteRequest, 'parameters'> {
  /** Whether a long wait may become an event stream. */
  readonly mayStream: boolean;
  /** The headers of every response. */
  readonly headers: OutgoingHttpHeaders;
  /** @returns a signal that is aborted when the client closes the connection before the response ends */
  readonly clientClosed: () => AbortSignal;
}

interface McpMessage {
  /** Whether MCP-Protocol-Version must give its revision, since it neither names nor negotiates one. */
  readonly needsVersionHeader: boolean;
  readonly isStream: boolean;
  /** @returns undefined if it has sent the response itself */
  serve(exchange: McpExchange): Promise<RpcResponse | undefined>;
}

/** Answers the messages to one address: `createMcpEndpoint` of `src/mcp/transport/http.ts` makes one. */
export interface McpEndpoint {
  readonly protocolVersions: readonly string[];
  /** @returns undefined unless the message is a call with a usual envelope that does not wait */
  answer(message: unknown, headers: IncomingHttpHeaders, caller: Caller): Promise<RpcResponse> | undefined;
  /** @returns undefined if a parsed body is not one JSON-RPC message */
  receive(body: unknown): McpMessage | undefined;
  readonly invalidMessage: string;
}

export class InvalidMessage extends TransportError {
  /** Members of the error's `data` besides the problem. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(detail: string, data: InvalidMessage['data'] = {}) {
    super('malformed_json', detail);
    this.data = data;
  }
}

/** The longest header that an SDK may repeat in an error if it differs from the message. */
const MAX_HEADER_CHARACTERS = 256;

/** Creates the responses to the POSTs of an endpoint. Each body must be one JSON-RPC message. */
export function createMessageHandler(mcp: McpEndpoint, commonHeaders: OutgoingHttpHeaders): Route['serve'] {
  const headers = { ...commonHeaders, 'Cache-Control': 'no-store' };
  const toReply = ({ before, after, status = 200 }: RpcResponse): Reply => {
    const length = Buffer.byteLength(before) + Buffer.byteLength(after);
    const contentHeaders = { 'content-type': 'application/json', 'content-length': length };
    return { status, headers: joinHeaders(headers, contentHeaders), body: before, tail: after };
  };
  return async ({ request, response, caller }) => {
    const body = await readJson(request);
    const { accept } = request.headers;
    const answer = acceptsJson(accept) ? mcp.answer(body, request.headers, caller) : undefined;
    if (answer !== undefined) return toReply(await answer);
    if (Array.isArray(body))
      throw new InvalidMessage('Send one JSON-RPC message in each request; batches are not supported.');
    if (MCP_HEADERS.some((name) => String(request.headers[name] ?? '').length > MAX_HEADER_CHARACTERS))
      throw new InvalidMessage(`An Mcp- header may have at most ${MAX_HEADER_CHARACTERS} characters.`);
    const message = mcp.receive(body);
    if (message === undefined) throw new InvalidMessage(mcp.invalidMessage);
    if (!(message.isStream ? acceptsStream : acceptsJson)(accept))
      throw new TransportError('not_acceptable', NOT_ACCEPTABLE);
    if (message.needsVersionHeader) checkVersion(request, mcp.protocolVersions);
    const clientClosed = (): AbortSignal => watchClosing(response);
    const mayStream = namesEventStream(accept);
    const reply = await message.serve({ request, response, caller, mayStream, headers, clientClosed });
    return reply && toReply(reply);
  };
}

function checkVersion({ headers }: IncomingMessage, versions: readonly string[]): void {
  const version = headers['mcp-protocol-version'] as string | undefined;
  if (version !== undefined && !versions.includes(version)) {
    const detail = `This protocol version is not supported; supported are ${versions.join(', ')}.`;
    throw new InvalidMessage(detail, { supported: versions });
  }
}

const acceptsJson = createTypeCheck('application/json');

const acceptsStream = createTypeCheck('text/event-stream');

const NOT_ACCEPTABLE =
  'Send the header Accept: application/json, text/event-stream; notification streams need the second type.';
