import { TransportError, type Problem } from '#http/problem.ts';

/** JSON-RPC's codes, and one of the range left to servers. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const REFUSED = -32000;

/** A body that is JSON, and no message that MCP takes. */
export class InvalidMessage extends TransportError {
  constructor(detail: string) {
    super('malformed_json', detail);
  }
}

/** Words a refusal as MCP clients expect it: a JSON-RPC error without an id, the problem in its data. */
export function toRpcError(error: unknown, problem: Problem): object {
  const code =
    error instanceof InvalidMessage
      ? INVALID_REQUEST
      : problem.code === 'malformed_json'
        ? PARSE_ERROR
        : problem.code === 'internal'
          ? INTERNAL_ERROR
          : REFUSED;
  return { jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data: problem } };
}
