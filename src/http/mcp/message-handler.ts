import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpEndpoint } from '#http/options/app-options.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { acceptedRanges } from '#http/responses/accept.ts';
import { TransportError } from '#http/responses/problem.ts';

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
 */
export function createMessageHandler(mcp: McpEndpoint): MessageHandler {
  return async (request, response, body, caller) => {
    if (Array.isArray(body)) {
      throw new InvalidMessage('Send one JSON-RPC message for each request; batches are refused.');
    }
    const message = mcp.receive(body);
    if (message === undefined) throw new InvalidMessage(mcp.invalidMessage);
    checkAccept(request.headers.accept, message.isStream);
    if (message.isOfHeaderVersion) checkVersion(request, mcp.protocolVersions);
    response.setHeader('Cache-Control', 'no-store');
    await message.handle(request, response, caller);
  };
}

function checkVersion({ headers }: IncomingMessage, versions: readonly string[]): void {
  const version = headers['mcp-protocol-version'] as string | undefined;
  if (version !== undefined && !versions.includes(version)) {
    const detail = `This protocol version is not served; served are ${versions.join(', ')}.`;
    throw new InvalidMessage(detail, { supported: versions });
  }
}

/** The header that the MCP specification requires, and that most clients send. */
const USUAL = 'application/json, text/event-stream';

/** Whether Accept (RFC 9110 section 12.5.1) lists a range of the type, which is one of `USUAL`. */
function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header === USUAL || header.trim() === '') return true;
  const ranges = ['*/*', `${type.split('/')[0] ?? ''}/*`, type];
  return acceptedRanges(header).some((range) => ranges.includes(range));
}

/** Whether a client accepts JSON, the type of most responses. */
export function acceptsJson(header: string | undefined): boolean {
  return accepts(header, 'application/json');
}

/** @throws TransportError not_acceptable */
export function checkAccept(header: string | undefined, streams: boolean): void {
  const type = streams ? 'text/event-stream' : 'application/json';
  if (accepts(header, type)) return;
  throw new TransportError(
    'not_acceptable',
    `Send the header Accept: ${USUAL}; notification streams need the second type.`,
  );
}
