import { isMcpPath } from '#http/mcp/mcp-path.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { failurePage, wantsFailurePage } from '#http/pages/failure-page.ts';
import { toProblemResponse, TransportError, type Problem } from '#http/responses/problem.ts';
import { toWorkspaceError, WorkspaceError } from '#workspace/service/errors.ts';
import { InvalidMessage } from '#http/mcp/message-handler.ts';
import type { FailedRequest, FailureReply } from '#http/responses/reply.ts';

type KnownError = TransportError | WorkspaceError;

/**
 * Creates every error response: problem+json (RFC 9457), JSON-RPC on the MCP endpoints, or a page for people.
 * It logs causes.
 */
export function createFailureReply({
  logger,
  newReference,
  workspace,
}: Pick<HttpAppOptions, 'logger' | 'newReference' | 'workspace'>): FailureReply {
  const toBody = (
    error: KnownError,
    problem: Problem,
    request: FailedRequest,
  ): [type: string, body: string] => {
    if (isMcpPath(request.url ?? '')) return ['application/json', JSON.stringify(toRpcError(error, problem))];
    if (wantsFailurePage(request)) return ['text/html', failurePage(workspace, problem)];
    return ['application/problem+json', JSON.stringify(problem)];
  };
  return (thrown, request) => {
    const error = thrown instanceof TransportError ? thrown : toWorkspaceError(thrown);
    if (error instanceof WorkspaceError) workspace.refusals.count(error);
    const reference = newReference();
    const { problem, headers } = toProblemResponse(error, reference);
    // The caller received the reference as `instance`.
    const sent = problem.instance !== undefined && { reference };
    if (error.cause !== undefined) logger.error({ ...sent, err: error.cause }, 'a request failed');
    const [type, body] = toBody(error, problem, request);
    return {
      status: problem.status,
      headers: { ...headers, 'Cache-Control': 'no-store', 'Content-Type': `${type}; charset=utf-8` },
      body,
    };
  };
}

/**
 * Error codes of JSON-RPC 2.0 (section 5.1). SERVER_ERROR belongs to the range reserved for implementations.
 */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const SERVER_ERROR = -32000;

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
  const data = error instanceof InvalidMessage ? { ...problem, ...error.data } : problem;
  return { jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data } };
}
