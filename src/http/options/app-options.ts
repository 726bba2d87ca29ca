import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RpcResponse } from '#tool/cached-result.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import type { MaybePromise } from '#tool/maybe-promise.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import type { Caller } from '#workspace/service/caller.ts';
import type { ServiceHealth } from '#workspace/limits/health.ts';
import type { ModerationLog, ModerationQuery } from '#workspace/moderation/moderation.ts';
import type { Compressor } from '#http/responses/encoded-response.ts';
import type * as z from 'zod';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** Structured logs. No log line contains a post text or an address. */
export interface Logger {
  debug(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

export interface McpMessage {
  /** Whether its revision is that of MCP-Protocol-Version: it neither names one in `_meta` nor negotiates one. */
  readonly isOfHeaderVersion: boolean;
  readonly isStream: boolean;
  /** @returns undefined if it has sent the response itself */
  serve(exchange: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly caller: Caller;
    /** Whether a long wait may become an event stream. */
    readonly mayStream: boolean;
    /** Of every response. */
    readonly headers: OutgoingHttpHeaders;
  }): Promise<RpcResponse | undefined>;
}

export interface McpEndpoint {
  readonly protocolVersions: readonly string[];
  /** @returns undefined if a parsed body is not one JSON-RPC message */
  receive(body: unknown): McpMessage | undefined;
  readonly invalidMessage: string;
  /** @returns undefined for a message that is not a call with a usual envelope, and for one that may wait */
  answer(
    message: unknown,
    headers: IncomingHttpHeaders,
    caller: Caller,
  ): MaybePromise<RpcResponse> | undefined;
}

export interface NetworkRules {
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly ipv4Prefix: number;
  readonly ipv6Prefix: number;
}

export interface AccessPolicy {
  /** Accepted Host headers; null accepts any. An entry without a port accepts any port. */
  readonly allowedHosts: readonly string[] | null;
  readonly allowedOrigins: readonly string[] | null;
  /** On a loopback address every path checks Host, not only MCP, and pages of other origins may not read. */
  readonly isLocal: boolean;
}

export interface HttpAppOptions {
  readonly tools: readonly AnyTool[];
  readonly workspace: HttpWorkspace;
  /** Shared with the other transports. */
  readonly results: ResultCache;
  readonly compressor: Compressor;
  readonly mcp: McpEndpoint;
  readonly coreMcp: McpEndpoint;
  readonly readCaller: (request: IncomingMessage) => Caller;
  readonly accessPolicy: AccessPolicy;
  /** Seconds for which a cache may reuse a read of the store. */
  readonly readMaxAge: number;
  readonly logger: Logger;
  readonly newReference: () => string;
  readonly moderation: (query: z.infer<typeof ModerationQuery>) => Promise<ModerationLog>;
  readonly health: () => Promise<ServiceHealth>;
  /** Whether the service is shutting down and refuses requests. */
  readonly stopping: () => boolean;
}
