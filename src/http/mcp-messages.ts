import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { readJson } from './guards/body.ts';
import { createTypeCheck, namesEventStream } from './responses/accept.ts';
import { TransportError } from './responses/problem.ts';
import { joinHeaders, type Route } from './responses/reply.ts';
import type { RpcResponse } from '#tool/cached-result.ts';
import type { MaybePromise } from '#tool/maybe-promise.ts';
import type { Caller } from '#workspace/service/caller.ts';

interface McpMessage {
  /** Whether its revision is that of MCP-Protocol-Version: it neither names one in `_meta` nor negotiates one. */
  readonly isOfHeaderVersion: boolean;
  readonly isStream: boolean;
  /** @param mayStream whether a long wait may become an event stream */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    mayStream: boolean,
  ): Promise<void>;
}

/** What answers the messages to one address; `src/mcp/` has it. */
export interface McpEndpoint {
  readonly protocolVersions: readonly string[];
  /** @returns undefined if a parsed body is not one JSON-RPC message */
  receive(body: unknown): McpMessage | undefined;
  readonly invalidMessage: string;
  /** @returns a function that responds to a well-formed read; undefined for every other message */
  readCall(
    message: unknown,
    headers: IncomingHttpHeaders,
    caller: Caller,
  ): (() => MaybePromise<RpcResponse>) | undefined;
}

export class InvalidMessage extends TransportError {
  /** Members of the error's `data` besides the problem. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(detail: string, data: InvalidMessage['data'] = {}) {
    super('malformed_json', detail);
    this.data = data;
  }
}

/**
 * Creates the responses to the POSTs of an endpoint. Each body must be one JSON-RPC message; the reads among
 * them are served from the cache.
 */
export function createMessageHandler(mcp: McpEndpoint, commonHeaders: OutgoingHttpHeaders): Route['serve'] {
  const everyHeader = new Map(Object.entries(commonHeaders)) as Map<string, string>;
  return async ({ request, response, caller }) => {
    const body = await readJson(request);
    const { accept } = request.headers;
    const read = acceptsJson(accept) ? mcp.readCall(body, request.headers, caller) : undefined;
    if (read !== undefined) {
      const { before, after } = await read();
      const length = before.length + Buffer.byteLength(after);
      const content = { 'content-type': 'application/json', 'content-length': length };
      return {
        status: 200,
        headers: joinHeaders(commonHeaders, NOT_STORED, content),
        body: before,
        tail: after,
      };
    }
    if (Array.isArray(body))
      throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    const message = mcp.receive(body);
    if (message === undefined) throw new InvalidMessage(mcp.invalidMessage);
    checkAccept(accept, message.isStream);
    if (message.isOfHeaderVersion) checkVersion(request, mcp.protocolVersions);
    response.setHeaders(everyHeader).setHeader('Cache-Control', 'no-store');
    await message.handle(request, response, caller, namesEventStream(accept));
    return undefined;
  };
}

const NOT_STORED = { 'Cache-Control': 'no-store' };

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
