import type { Failure } from '#workspace/service/errors.ts';

/**
 * Error codes of JSON-RPC 2.0 (section 5.1), and MCP's own for an unknown resource in revisions up to
 * 2025-11-25. From 2026-07-28 on an unknown resource is `invalidParams` (SEP-2164).
 */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
} as const;

/** The failure, with the URI of an unknown resource (SEP-2164). */
type ErrorData = Failure & { readonly uri?: string };

/** A JSON-RPC error instead of a result. The SDKs send code, message and data unchanged. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;
  readonly data: ErrorData | undefined;

  constructor(code: number, message: string, data?: ErrorData) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
