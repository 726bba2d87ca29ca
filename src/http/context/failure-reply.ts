import { isMcpPath } from '#http/mcp/mcp-path.ts';
import { toRpcError } from '#http/mcp/rpc-error.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { failurePage, wantsFailurePage } from '#http/pages/failure-page.ts';
import { toProblemResponse, toKnownError, type Problem } from '#http/responses/problem.ts';
import { WorkspaceError } from '#workspace/errors.ts';
import type { FailedRequest, FailureReply } from '#http/responses/reply.ts';

type KnownError = ReturnType<typeof toKnownError>;

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
    const error = toKnownError(thrown);
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
