import type { IncomingHttpHeaders } from 'node:http';
import type { RpcResponse } from '#tool/mcp-endpoint.ts';
import type { Caller } from '#workspace/service/caller.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { createInitialize, isUsualInitialize } from '#mcp/handlers/initialize.ts';
import { parseUsualCall, type Call } from '#mcp/protocol/call.ts';

/** Responds to the calls with a usual envelope, which need no SDK. */
export class FastPath {
  readonly #handlers: McpHandlers;
  readonly #initialize: (call: Call) => RpcResponse;

  /** @param capabilities for `initialize` */
  constructor(handlers: McpHandlers, capabilities: object) {
    this.#handlers = handlers;
    this.#initialize = createInitialize(handlers, capabilities);
  }

  /**
   * @param headers of the HTTP request; undefined over stdio
   * @returns undefined for every other message, which an SDK validates first
   */
  parse(message: unknown, headers: IncomingHttpHeaders | undefined): Call | undefined {
    const call = parseUsualCall(message, headers);
    if (call === undefined || this.#handlers.handles(call.method)) return call;
    return isUsualInitialize(call) ? call : undefined;
  }

  /** @param signal aborts a wait; without it no call waits */
  respond(call: Call, caller: Caller, signal?: AbortSignal): Promise<RpcResponse> {
    if (call.method === 'initialize') return Promise.resolve(this.#initialize(call));
    return this.#handlers.dispatch(call, caller, signal);
  }
}
