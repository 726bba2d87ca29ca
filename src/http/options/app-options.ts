import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AnyTool } from '#tool/define-tool.ts';
import type { MaybePromise } from '#tool/maybe-promise.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import type { Caller } from '#workspace/caller.ts';
import type { ServiceHealth } from '#workspace/health.ts';
import type { ModerationLog } from '#workspace/moderation.ts';
import type { Compressor } from '#http/responses/compressor.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** Structured logs. No log line contains a post text or an address. */
export interface Logger {
  debug(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

/** A JSON-RPC response in two parts. */
export interface RpcResponse {
  /** Up to the id, without it. */
  readonly before: Buffer;
  /** From the id on. */
  readonly after: string;
}

/** The MCP endpoint that the HTTP app mounts. */
export interface McpEndpoint {
  readonly protocolVersions: readonly string[];
  /** Whether a parsed body is one JSON-RPC message. */
  isMessage(body: unknown): boolean;
  /** The error for a body that is not one. */
  readonly invalidMessage: string;
  /** Whether a message names its protocol revision in `_meta`. */
  namesRevision(message: never): boolean;
  /** Whether a message requests a stream of notifications. */
  isStream(message: never): boolean;
  /** @returns a function that responds to a well-formed read; undefined for every other message */
  readCall(
    message: unknown,
    headers: IncomingHttpHeaders,
    caller: Caller,
  ): (() => MaybePromise<RpcResponse>) | undefined;
  handle(request: IncomingMessage, response: ServerResponse, message: never, caller: Caller): Promise<void>;
}

/** How the network of a caller is derived from addresses. */
export interface NetworkRules {
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly ipv4Prefix: number;
  readonly ipv6Prefix: number;
}

/** Which hosts and origins are accepted. */
export interface AccessPolicy {
  /** Accepted Host headers; null accepts any. An entry without a port accepts any port. */
  readonly allowedHosts: readonly string[] | null;
  /** Accepted Origin headers, in the same way. */
  readonly allowedOrigins: readonly string[] | null;
  /** Whether the Host check covers every path, as on a loopback address, instead of /mcp alone. */
  readonly guardsEveryPath: boolean;
}

export interface HttpAppOptions {
  readonly tools: readonly AnyTool[];
  readonly workspace: HttpWorkspace;
  /** Shared with the other transports. */
  readonly results: ResultCache;
  readonly compressor: Compressor;
  readonly mcp: McpEndpoint;
  readonly network: NetworkRules;
  readonly accessPolicy: AccessPolicy;
  /** Seconds for which a cache may reuse a read of the store. */
  readonly readMaxAge: number;
  readonly logger: Logger;
  readonly newReference: () => string;
  /** @returns the public moderation log */
  readonly moderation: () => Promise<ModerationLog>;
  readonly health: () => Promise<ServiceHealth>;
  /** Whether the service is shutting down and refuses requests. */
  readonly stopping: () => boolean;
}
