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
  /** Of PER_REQUEST_VERSION: the client did not declare a capability (SEP-2575). Over HTTP its status is 400. */
  missingCapability: -32021,
} as const;

/** A JSON-RPC error instead of a result. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;
  readonly data: object | undefined;

  constructor(code: number, message: string, data?: object) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
