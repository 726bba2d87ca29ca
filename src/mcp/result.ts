import { toWorkspaceError, type Failure, type WorkspaceError } from '#workspace/errors.ts';
import { ProtocolError, RPC } from './errors.ts';

/** Told of failures that are ours, for the log. */
export type ReportFailure = (error: WorkspaceError) => void;

/** @returns what may be told of a failure, whatever was thrown. */
export function toFailure(thrown: unknown, report: ReportFailure): Failure {
  const error = toWorkspaceError(thrown);
  if (error.cause !== undefined) report(error);
  return error.failure;
}

/** The same JSON twice, as structured content and as text, for hosts that read only one of them. */
export function toToolResult(output: Readonly<Record<string, unknown>>, text: string) {
  return { content: [{ type: 'text', text }], structuredContent: output };
}

/** As text alone: a client would hold structured content against the output schema. */
export function toToolFailure(failure: Failure) {
  return { content: [{ type: 'text', text: JSON.stringify(failure) }], isError: true };
}

export function toResource(uri: string, text: string) {
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}

/** A resource read has no result for a failure, only the protocol's errors. */
export function toResourceError(failure: Failure): ProtocolError {
  const code =
    failure.code === 'not_found'
      ? RPC.resourceNotFound
      : failure.code === 'invalid_request'
        ? RPC.invalidParams
        : RPC.internal;
  return new ProtocolError(code, failure.detail, failure);
}
