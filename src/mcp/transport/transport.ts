import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RpcResponse } from '#tool/cached-result.ts';
import type { Caller } from '#workspace/service/caller.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { createInitialize } from '#mcp/handlers/initialize.ts';
import { parseUsualCall, type Call } from '#mcp/protocol/call.ts';
import type { Message } from '#mcp/protocol/json-rpc.ts';

/** Answers one call. @param signal aborts a wait; without it no call waits */
export type Answer = (caller: Caller, signal?: AbortSignal) => Promise<RpcResponse>;

/**
 * Finds the answer to a call with a usual envelope, which needs no SDK.
 * @param capabilities for `initialize`
 * @returns a function that returns undefined for every other message, which an SDK validates first
 */
export function createFastPath(handlers: McpHandlers, capabilities: object) {
  const initialize = createInitialize(handlers, capabilities);
  /** @param headers of the HTTP request; undefined over stdio */
  return (message: unknown, headers: IncomingHttpHeaders | undefined): Answer | undefined => {
    const call = parseUsualCall(message, headers);
    if (call === undefined) return undefined;
    if (handlers.handles(call.method)) return (caller, signal) => handlers.answer(call, caller, signal);
    const response = initialize(call);
    return response && (async () => response);
  };
}

/** A request that carries a message. */
export interface McpHttpRequest {
  readonly request: IncomingMessage;
  readonly caller: Caller;
  /** @returns a signal that is aborted when the client closes the connection before the response ends */
  readonly clientClosed: () => AbortSignal;
}

export interface McpHttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a stream of server-sent events. */
  readonly body?: string | ReadableStream<Uint8Array>;
}

/** The outcome of an SDK's validation: the call that it accepts, or its own response. */
type Validated = { readonly call: Call } | { readonly response: McpHttpResponse };

/** The protocol revisions of one SDK over stateless HTTP. */
export interface SdkHttpHandler {
  /** @returns undefined if the message belongs to a revision of the other SDK */
  validate(message: Message, request: McpHttpRequest): Promise<Validated | undefined>;
  close(): Promise<void>;
}

/** Messages in both directions over one connection. Both SDKs accept this interface as their `Transport`. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: Message): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: Message) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** Connects a server of one SDK. @returns a function that ends its subscriptions and closes the transport */
export type ConnectTransport = (transport: McpTransport, caller: Caller) => Promise<() => Promise<void>>;

interface Output {
  readonly writableNeedDrain: boolean;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/**
 * @returns a function that writes a notification, and coalesces duplicates while the output is full: a client
 *   that does not read costs one copy of each
 */
export function createNotificationQueue(output: Output): (notification: string) => void {
  // Invariant: empty unless a `drain` listener is registered.
  const queued = new Set<string>();
  const flush = (): void => {
    const waiting = [...queued];
    queued.clear();
    for (const notification of waiting) write(notification);
  };
  const write = (notification: string): void => {
    if (!output.writableNeedDrain) {
      output.write(notification);
      return;
    }
    if (queued.size === 0) output.once('drain', flush);
    queued.add(notification);
  };
  return write;
}
