import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AnyTool } from '#tool/define-tool.ts';
import type { MaybePromise } from '#tool/maybe-promise.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import type { Caller } from '#workspace/caller.ts';
import type { ServiceHealth } from '#workspace/health.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

/** Structured logs. Never given a post text or an address. */
export interface Logger {
  debug(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
}

/** A JSON-RPC response in two parts. */
export interface RpcResponse {
  /** Up to the id. */
  readonly before: Buffer;
  /** From the id on. */
  readonly after: string;
}

/** MCP, as the HTTP service sees it. */
export interface McpEndpoint {
  readonly protocolVersions: readonly string[];
  /** Whether a parsed body is one JSON-RPC message. */
  isMessage(body: unknown): boolean;
  /** Whether a message itself names the protocol version it is written in. */
  namesRevision(message: never): boolean;
  /** Whether a message asks for a stream of notices. */
  isStream(message: never): boolean;
  /** @returns what answers a well-formed call that only reads; undefined for everything else */
  readCall(message: unknown, headers: IncomingHttpHeaders): (() => MaybePromise<RpcResponse>) | undefined;
  handle(request: IncomingMessage, response: ServerResponse, message: never, caller: Caller): Promise<void>;
}

/** Where requests come from, and how addresses make a network. */
export interface NetworkRules {
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly ipv4Prefix: number;
  readonly ipv6Prefix: number;
}

/** Who may use /mcp. */
export interface AccessPolicy {
  /** Host headers that are accepted; null accepts any. A host without a port stands for any port. */
  readonly allowedHosts: readonly string[] | null;
  /** Origin headers that are accepted, in the same way. */
  readonly allowedOrigins: readonly string[] | null;
  /** Whether the Host check holds for every path, not for /mcp alone: so behind a loopback address. */
  readonly guardsEveryPath: boolean;
}

/** Everything the HTTP app is built from. */
export interface HttpAppOptions {
  readonly tools: readonly AnyTool[];
  readonly workspace: HttpWorkspace;
  /** Shared with the other transports. */
  readonly results: ResultCache;
  readonly mcp: McpEndpoint;
  readonly network: NetworkRules;
  readonly accessPolicy: AccessPolicy;
  /** Seconds that a cache may keep a live read. */
  readonly readMaxAge: number;
  readonly logger: Logger;
  readonly newReference: () => string;
  /** The public log of what operators did to records. */
  readonly moderation: () => Promise<object>;
  readonly health: () => Promise<ServiceHealth>;
  /** Whether the service is going down, and takes no more requests. */
  readonly stopping: () => boolean;
}
