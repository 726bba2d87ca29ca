import type { McpExchange } from '#tool/mcp-endpoint.ts';
import type { Caller } from '#workspace/service/caller.ts';
import type { Call } from '#mcp/protocol/call.ts';
import type { Message } from '#mcp/protocol/json-rpc.ts';

export interface SdkHttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a stream of server-sent events. */
  readonly body?: string | ReadableStream<Uint8Array>;
}

/** The outcome of an SDK's validation: the call that it accepts, or its own response. */
type Validated = { readonly call: Call } | { readonly response: SdkHttpResponse };

/** The protocol revisions of one SDK over stateless HTTP. */
export interface SdkHttpHandler {
  /** @returns undefined if the message belongs to a revision of the other SDK */
  validate(message: Message, exchange: McpExchange): Promise<Validated | undefined>;
  close(): Promise<void>;
}

/** Carries messages in both directions over one connection. Both SDKs accept it as their `Transport`. */
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
