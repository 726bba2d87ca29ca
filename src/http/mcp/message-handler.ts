import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpEndpoint } from '#http/options/app-options.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { createTypeCheck, namesEventStream } from '#http/responses/accept.ts';
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
    await message.handle(request, response, caller, namesEventStream(request.headers.accept));
  };
}

function checkVersion({ headers }: IncomingMessage, versions: readonly string[]): void {
  const version = headers['mcp-protocol-version'] as string | undefined;
  if (version !== undefined && !versions.includes(version)) {
    const detail = `This protocol version is not served; served are ${versions.join(', ')}.`;
    throw new InvalidMessage(detail, { supported: versions });
  }
}

/** Whether a client accepts JSON, the type of most responses. */
export const acceptsJson = createTypeCheck('application/json');

const acceptsStream = createTypeCheck('text/event-stream');

/** @throws TransportError not_acceptable */
function checkAccept(header: string | undefined, isStream: boolean): void {
  if (isStream ? acceptsStream(header) : acceptsJson(header)) return;
  throw new TransportError(
    'not_acceptable',
    'Send the header Accept: application/json, text/event-stream; notification streams need the second type.',
  );
}
