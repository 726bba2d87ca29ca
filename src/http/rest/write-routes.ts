import { callTool } from '#tool/call-tool.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import { argumentsInQuery } from '#tool/unknown-arguments.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { type FailureReply, JSON_TYPE, type Reply } from '#http/responses/reply.ts';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import type { Quota } from '#workspace/limits/rate-limit.ts';

const IDEMPOTENCY_KEY = 'idempotencyKey';

export interface WriteRoute {
  /** Parameters in braces. */
  readonly path: string;
  /** Calls the tool. Errors become replies too. @param query refused if it has arguments of the tool */
  readonly write: (args: unknown, caller: Caller, query: URLSearchParams) => Promise<Reply>;
}

export function createWriteRoutes(options: HttpAppOptions, failureReply: FailureReply): WriteRoute[] {
  return options.tools
    .filter(({ annotations }) => !annotations.readOnlyHint)
    .map((tool) => writeRoute(options, tool, failureReply));
}

function writeRoute({ workspace }: HttpAppOptions, tool: AnyTool, failureReply: FailureReply): WriteRoute {
  const { path, parameters, status } = parseRoute(tool);

  /** If the limits cannot be read, the response is sent without rate-limit headers. */
  async function quotaHeaders(caller: Caller): Promise<Record<string, string>> {
    if (tool.limitScope === undefined) return {};
    return workspace.quotas(tool.limitScope, caller).then(rateLimitHeaders, () => ({}));
  }

  async function publish(args: unknown, caller: Caller): Promise<Reply> {
    const output = await callTool(tool, args, { workspace, caller });
    const isReplay = output['duplicate'] === true;
    return {
      status,
      headers: {
        // A replay counts against no limit, so its response does not show the use of the network.
        ...(isReplay ? { 'Idempotency-Replayed': 'true' } : await quotaHeaders(caller)),
        ...(tool.location !== undefined && {
          Location: workspace.service.baseUrl + fillIn(tool.location, (name) => String(output[name])),
        }),
        'Cache-Control': 'no-store',
        'Content-Type': JSON_TYPE,
      },
      body: JSON.stringify(output),
    };
  }

  return {
    path,
    write: async (args, caller, query) => {
      try {
        const misplaced = argumentsInQuery(tool, [...query.keys()], parameters);
        if (misplaced.length > 0) throw invalidRequestError(misplaced);
        return await publish(args, caller);
      } catch (error) {
        const reply = failureReply(error, { url: path, headers: {} });
        const isLimit = error instanceof WorkspaceError && error.failure.code === 'rate_limited';
        return isLimit ? { ...reply, headers: { ...(await quotaHeaders(caller)), ...reply.headers } } : reply;
      }
    },
  };
}

/**
 * The arguments of a write: the body, and the path parameters, which have precedence. A body that is not an
 * object is returned unchanged, and the tool refuses it.
 * @param header Idempotency-Key: a quoted string of RFC 8941, or unquoted as most clients send it
 * @throws WorkspaceError invalid_request if the body has another key than the header
 */
export function withIdempotencyKey(body: unknown, parameters: object, header: string | undefined): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const args: Record<string, unknown> = { ...body, ...parameters };
  if (header === undefined) return args;
  const key = header.replace(/^"(.*)"$/, '$1');
  const inBody = args[IDEMPOTENCY_KEY] ?? key;
  if (inBody !== key) throw otherKeyError();
  return { ...args, [IDEMPOTENCY_KEY]: key };
}

function otherKeyError(): WorkspaceError {
  const message = 'in the body differs from the header Idempotency-Key: send one of them';
  return invalidRequestError([{ path: IDEMPOTENCY_KEY, message }]);
}

/** RateLimit-Policy and RateLimit of draft-ietf-httpapi-ratelimit-headers. */
export function rateLimitHeaders(quotas: readonly Quota[]): Record<string, string> {
  if (quotas.length === 0) return {};
  return {
    'RateLimit-Policy': quotas
      .map(({ name, max, windowSeconds }) => `"${name}";q=${max};w=${windowSeconds}`)
      .join(', '),
    RateLimit: quotas
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${Math.max(0, remaining)};t=${resetSeconds}`)
      .join(', '),
  };
}
