import type { Failure } from '#workspace/errors.ts';

/** The codes of JSON-RPC, and MCP's own for a resource that is not there. */
export const RPC = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
} as const;

/** A call that the protocol itself refuses. The SDK sends code, message and data as they are. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;
  readonly data: Failure | undefined;

  constructor(code: number, message: string, data?: Failure) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
