import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { Failure } from '#workspace/errors.ts';
import { ProtocolError, RPC } from './protocol-error.ts';

/** The same JSON twice, as structured content and as text, for hosts that read only one of them. */
export function toToolResult(output: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(output) }], structuredContent: output };
}

/** As text alone: a client would hold structured content against the output schema. */
export function toToolFailure(failure: Failure): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(failure) }], isError: true };
}

export function toResource(uri: string, output: Record<string, unknown>): ReadResourceResult {
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(output) }] };
}

/** A resource read has no result for a failure, only the protocol's errors. */
export function toResourceError(failure: Failure): ProtocolError {
  const code = failure.code === 'not_found' ? RPC.resourceNotFound
    : failure.code === 'invalid_request' ? RPC.invalidParams
      : RPC.internal;
  return new ProtocolError(code, failure.detail, failure);
}
