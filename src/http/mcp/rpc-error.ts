import { TransportError, type Problem } from '#http/responses/problem.ts';

/**
 * Error codes of JSON-RPC 2.0 (section 5.1). SERVER_ERROR belongs to the range reserved for implementations.
 */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const SERVER_ERROR = -32000;

export class InvalidMessage extends TransportError {
  constructor(detail: string) {
    super('malformed_json', detail);
  }
}

/** The body of an error on an MCP endpoint: a JSON-RPC error with a null id and the problem in `data`. */
export function toRpcError(error: unknown, problem: Problem): object {
  const code =
    error instanceof InvalidMessage
      ? INVALID_REQUEST
      : problem.code === 'malformed_json'
        ? PARSE_ERROR
        : problem.code === 'internal'
          ? INTERNAL_ERROR
          : SERVER_ERROR;
  return { jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data: problem } };
}
