import { isMcpPath } from '#http/guards/access.ts';
import { InvalidMessage } from './mcp-messages.ts';
import { failurePage, wantsFailurePage } from './pages/failure-page.ts';
import { createProblem, TransportError, type FailureReply, type Problem } from './responses/problem.ts';
import { createReply } from './responses/reply.ts';
import { toWorkspaceError, WorkspaceError } from '#workspace/service/errors.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

export interface FailureOptions {
  readonly workspace: HttpWorkspace;
  /** No log line contains a post text or an address. */
  readonly logger: { error(facts: object, event: string): void };
  readonly newReference: () => string;
}

/**
 * Creates the function that makes every error response: problem+json (RFC 9457), JSON-RPC on the MCP
 * endpoints, or a page for people. It logs causes.
 */
export function createFailureReply({ workspace, logger, newReference }: FailureOptions): FailureReply {
  return (thrown, request, ...before) => {
    const error = thrown instanceof TransportError ? thrown : toWorkspaceError(thrown);
    if (error instanceof WorkspaceError) workspace.refusals.count(error);
    const reference = newReference();
    const problem = toProblem(error, reference);
    // The caller received the reference as `instance`.
    const sent = problem.instance !== undefined && { reference };
    if (error.cause !== undefined) logger.error({ ...sent, err: error.cause }, 'a request failed');
    const [type, body] = isMcpPath(request.url ?? '')
      ? ['application/json', JSON.stringify(toRpcError(error, problem))]
      : wantsFailurePage(request)
        ? ['text/html', failurePage(workspace, problem)]
        : ['application/problem+json', JSON.stringify(problem)];
    const headers =
      error instanceof TransportError
        ? error.headers
        : problem.retryAfterSeconds !== undefined && { 'Retry-After': String(problem.retryAfterSeconds) };
    const content = { 'Cache-Control': 'no-store', 'Content-Type': `${type}; charset=utf-8` };
    return createReply(problem.status, body, ...before, { ...headers, ...content });
  };
}

/** @param reference in the log; callers see it for code `internal` only */
function toProblem(error: TransportError | WorkspaceError, reference: string): Problem {
  if (error instanceof TransportError) return createProblem(error.code, error.message, error.rest);
  const { code, detail, ...rest } = error.failure;
  const instance = code === 'internal' && { instance: `urn:uuid:${reference}` };
  return createProblem(code, detail, { ...rest, ...instance });
}

/** Error codes of JSON-RPC 2.0 (section 5.1). */
const INVALID_REQUEST = -32600;
const RPC_CODES: Partial<Record<Problem['code'], number>> = {
  malformed_request: INVALID_REQUEST,
  malformed_json: -32700,
  internal: -32603,
};
/** Of the range reserved for implementations. */
const SERVER_ERROR = -32000;

/** The body of an error on an MCP endpoint: a JSON-RPC error with a null id and the problem in `data`. */
function toRpcError(error: unknown, problem: Problem): object {
  const isInvalid = error instanceof InvalidMessage;
  const code = isInvalid ? INVALID_REQUEST : (RPC_CODES[problem.code] ?? SERVER_ERROR);
  const data = isInvalid ? { ...problem, ...error.data } : problem;
  return { jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data } };
}
