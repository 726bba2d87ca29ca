import type { AnyTool, Toolset } from '#tool/define-tool.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';
import { toWorkspaceError, type Failure, type WorkspaceError } from '#workspace/service/errors.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { MAX_URI_CHARACTERS } from './resources.ts';

/**
 * An error repeats a URI only if it is no longer than any resource's and consists of URI characters (RFC 3986
 * section 2), so that it contains no sentence that a model could follow.
 */
const REPEATABLE_URI = new RegExp(`^[\\w.~:/?#[\\]@!$&'()*+,;=%-]{1,${MAX_URI_CHARACTERS}}$`);

/** Receives each error of a call. One with a cause is a failure of the server. */
export type ReportFailure = (error: WorkspaceError) => void;

/** The part of a thrown error that callers may see. */
export function toFailure(thrown: unknown, report: ReportFailure): Failure {
  const error = toWorkspaceError(thrown);
  report(error);
  return error.failure;
}

/**
 * The same JSON as structured content and as text, since some hosts read only one of them. Every host reads
 * the text of a tool without an output schema.
 */
export function toToolResult(output: Readonly<Record<string, unknown>>, text: string, toolset: Toolset) {
  return { content: [{ type: 'text', text }], ...(toolset === 'all' && { structuredContent: output }) };
}

/** The output of a write without the long text that the caller has just sent, in a replay too. */
export function toReceipt(
  { longText = '' }: AnyTool,
  output: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { [longText]: _, ...receipt } = output;
  return receipt;
}

/** Text only: SDK v1's client validates `structuredContent` even when `isError` is set. */
export function toToolFailure(failure: Failure) {
  return { content: [{ type: 'text', text: JSON.stringify(failure) }], isError: true };
}

export function toResource(uri: string, text: string) {
  return { contents: [{ uri, mimeType: 'application/json', text }] };
}

/**
 * `resources/read` has no result with `isError`, so a failure becomes a JSON-RPC error.
 * @param uri of the resource; if there is no such resource, `data.uri` repeats it (SEP-2164)
 */
export function toResourceError(failure: Failure, uri?: string): ProtocolError {
  const code =
    failure.code === 'not_found'
      ? RPC.resourceNotFound
      : failure.code === 'invalid_request'
        ? RPC.invalidParams
        : RPC.internal;
  const isRepeated =
    failure.code === 'not_found' && uri !== undefined && REPEATABLE_URI.test(uri) && !holdsAuthorKey(uri);
  return new ProtocolError(code, failure.detail, { ...failure, ...(isRepeated && { uri }) });
}
