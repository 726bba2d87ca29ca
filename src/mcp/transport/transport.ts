import type { IncomingMessage } from 'node:http';
import type { Caller } from '#workspace/caller.ts';
import type { Message } from './json-rpc.ts';

/** What is asked over HTTP. */
export interface McpHttpRequest {
  readonly request: IncomingMessage;
  readonly message: Message;
  readonly caller: Caller;
  /** Tells when nobody waits for the answer any more. */
  readonly clientClosed: AbortSignal;
}

export interface McpHttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or a stream of notices. */
  readonly body?: string | ReadableStream<Uint8Array>;
}

/** One era of the protocol over HTTP, where a request stands for itself. */
export interface SdkHttpHandler {
  /** @returns undefined where the request is not for this era to answer */
  handle(asked: McpHttpRequest): Promise<McpHttpResponse | undefined>;
  /** Ends what is still streaming. */
  close(): Promise<void>;
}

/** Messages both ways over one connection. It has the form that both SDKs expect of a transport. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: Message): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** One era of the protocol over a connection, on behalf of one caller. */
export type ConnectTransport = (channel: McpTransport, caller: Caller) => Promise<void>;
