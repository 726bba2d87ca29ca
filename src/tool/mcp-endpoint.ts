import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/service/caller.ts';

/** A POST to an MCP endpoint, and its response. */
export interface McpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  /** The headers of every response. */
  readonly headers: OutgoingHttpHeaders;
  /** Whether a long wait may become an event stream. */
  readonly mayStream: boolean;
}

/** A JSON-RPC message, as an endpoint has parsed it. */
export interface McpMessage {
  /** The parsed body. */
  readonly body: unknown;
  /** Whether it is a call with a usual envelope, whose headers the endpoint has compared with it. */
  readonly isUsual: boolean;
  readonly mayWait: boolean;
  /** Whether its response is a stream of notifications. */
  readonly isStream: boolean;
  /** Whether MCP-Protocol-Version must give its revision, since it neither names nor negotiates one. */
  readonly needsVersionHeader: boolean;
}

/** Serves the messages to one URL. `createMcpEndpoint` of `src/mcp/transport/http.ts` creates one. */
export interface McpEndpoint {
  readonly protocolVersions: readonly string[];
  /** The error text for a body that `parse` refuses. */
  readonly invalidMessage: string;
  /** @returns undefined if a body is not one JSON-RPC message */
  parse(body: unknown, headers: IncomingHttpHeaders): McpMessage | undefined;
  /**
   * @param message a result of `parse`
   * @returns undefined if it has sent the response itself, or the client has closed the connection
   */
  respond(message: McpMessage, exchange: McpExchange): Promise<RpcResponse | undefined>;
}

/** The part up to the id of the request, kept as bytes if many requests share it, and the rest. */
export interface RpcResponse {
  readonly before: Buffer | string;
  readonly after: string;
  /** 200 if absent. */
  readonly status?: number;
}
