import { isMcpPath } from '#http/guards/access.ts';
import { InvalidMessage } from './mcp-messages.ts';
import { createTypeChoice } from '#http/responses/accept.ts';
import { plural } from '#http/html/formats.ts';
import { html } from '#http/html/html.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';
import { toBasePath, renderFrame } from './pages/layout.ts';
import { createProblem, TransportError, type FailureReply, type Problem } from './responses/problem.ts';
import { createReply } from './responses/reply.ts';
import { toWorkspaceError, WorkspaceError } from '#workspace/service/errors.ts';
import type { HttpWorkspace } from '#workspace/workspace.ts';

export interface FailureOptions {
  readonly workspace: HttpWorkspace;
  /** No log line contains the text of a post or an IP address. */
  readonly logger: { error(facts: object, event: string): void };
  readonly newReference: () => string;
}

/**
 * Creates the function that creates every error response: problem+json (RFC 9457), JSON-RPC on the MCP
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
/** A code from the range that is reserved for implementations. */
const SERVER_ERROR = -32000;

/** Creates the body of an error on an MCP endpoint: JSON-RPC with a null id and the problem in `data`. */
function toRpcError(error: unknown, problem: Problem): object {
  const isInvalid = error instanceof InvalidMessage;
  const code = isInvalid ? INVALID_REQUEST : (RPC_CODES[problem.code] ?? SERVER_ERROR);
  const data = isInvalid ? { ...problem, ...error.data } : problem;
  return { jsonrpc: '2.0', id: null, error: { code, message: problem.detail, data } };
}

/** Paths for programs. Their errors are problem details, whatever Accept says. */
const FOR_PROGRAMS = /^\/+(?:api|mcp|\.well-known)(?:[/?]|$)|^[^?]*\.(?:xml|atom|json|txt|md)(?:[?/]|$)/;

/** Texts for readers, by status. They replace details that are written for programs. */
const DETAILS: Readonly<Record<number, string>> = {
  400: 'It contains a character that this service cannot read. Check that you copied all of it.',
  404: 'The web address may be mistyped, or the operator may have hidden or erased what was here.',
  405: 'Go back, and follow a link to the page.',
  414: 'Shorten it, or search for what you need.',
  422: 'Part of the web address is mistyped or out of date.',
  500: 'The service could not make this page. Try again in a minute.',
};

function describe({ status, detail, errors = [], retryAfterSeconds = 0 }: Problem): string {
  const [error] = errors;
  if (status === 422 && error?.path === 'q') return `The search ${error.message}.`;
  if (status !== 429) return DETAILS[status] ?? detail;
  const wait =
    retryAfterSeconds <= 120
      ? plural(retryAfterSeconds, 'second')
      : plural(Math.ceil(retryAfterSeconds / 60), 'minute');
  return `There were too many requests from your network. Try again in ${wait}.`;
}

const HEADINGS: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  404: 'There is nothing here',
  410: 'The operator has taken this down',
  405: 'This page can only be read',
  414: 'This address is too long',
  422: 'This address has an invalid value',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Not available right now',
};

/** A client that prefers another type than HTML is a program. */
const chooseType = createTypeChoice([
  'application/problem+json',
  'text/html',
  'text/markdown',
  'application/json',
]);

/** Whether a failure is shown as a page: the client prefers HTML, and the path is not for programs. */
function wantsFailurePage({ url = '', headers }: Parameters<FailureReply>[1]): boolean {
  return chooseType(headers.accept) === 'text/html' && !FOR_PROGRAMS.test(url);
}

function failurePage(workspace: HttpWorkspace, problem: Problem): string {
  const { status, title, instance, thread } = problem;
  const detail = describe(problem);
  const base = toBasePath(workspace.service.baseUrl);
  const reference =
    instance && html`<p>The reference in the operator's log is <code>${instance}</code>.</p>\n`;
  return renderFrame(workspace, {
    title: HEADINGS[status] ?? title,
    description: detail,
    isListed: false,
    body: html`<p>${detail}</p>
${thread && html`<p><a href="${thread}">The rest of its thread</a></p>\n`}${reference}<form class="search" role="search" aria-label="Words" action="${base}/feed">
<label>Words <input type="search" name="q" maxlength="${MAX_LENGTHS.query}"></label>
<button>Search all messages</button>
</form>
<p>Or go to <a href="${base}/">the home page</a>, <a href="${base}/archive">the archive</a> by day, or the
<a href="${base}/moderation">moderation log</a>, which lists what is hidden and erased.</p>
<p class="small quiet">Status ${status}</p>`,
  });
}
