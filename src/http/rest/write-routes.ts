import type { IncomingMessage } from 'node:http';
import { callTool } from '#tool/call-tool.ts';
import { type AnyTool, AUTHOR_KEY } from '#tool/define-tool.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import type { Quota } from '#workspace/service/caller.ts';
import { invalidRequestError, WorkspaceError } from '#workspace/service/errors.ts';
import { isNoKey } from '#workspace/schemas/fields.ts';
import { isSameKey } from '#workspace/text/author-key.ts';
import { readJson } from '#http/guards/body.ts';
import { rawQuery } from '#http/guards/request-check.ts';
import { createReply, JSON_TYPE, type Route } from '#http/responses/reply.ts';
import type { FailureReply } from '#http/responses/problem.ts';
import type { ReadOptions } from './read-routes.ts';
import { keyOfHeader } from './tool-arguments.ts';

const IDEMPOTENCY_KEY = 'idempotencyKey';
const OTHER_KEY = 'in the body differs from the header Idempotency-Key: send only one of them';
const OTHER_AUTHOR_KEY =
  'in the body differs from the key in the header Authorization: send only one of them';

export function createWrite(
  tool: AnyTool,
  { workspace, commonHeaders }: Pick<ReadOptions, 'workspace' | 'commonHeaders'>,
  failureReply: FailureReply,
): Route['serve'] {
  const { status } = parseRoute(tool);
  return async ({ request, parameters: filledIn, caller }) => {
    const body = await readJson(request);
    const args = joinArguments(body, request, filledIn, keyOfHeader(tool, request)[AUTHOR_KEY]);
    let quotas: readonly Quota[] = [];
    const onQuotas = (left: readonly Quota[]): void => {
      quotas = left;
    };
    try {
      const output = await callTool(tool, args, { workspace, caller: { ...caller, onQuotas } });
      const isReplay = output['duplicate'] === true;
      return createReply(status, JSON.stringify(output), commonHeaders, {
        // A replay counts against no limit, so its response has no rate-limit headers.
        ...(isReplay ? { 'Idempotency-Replayed': 'true' } : rateLimitHeaders(quotas)),
        ...(tool.location !== undefined && {
          Location: workspace.service.baseUrl + fillIn(tool.location, (name) => String(output[name])),
        }),
        'Cache-Control': 'no-store',
        'Content-Type': JSON_TYPE,
      });
    } catch (error) {
      const isLimit = error instanceof WorkspaceError && error.failure.code === 'rate_limited';
      const scope = isLimit ? tool.limitScope : undefined;
      // No quotas if the limits cannot be read.
      const { writeRateLimit, store } = workspace;
      const left = await (scope && writeRateLimit.quotas(store.read, scope, caller).catch(() => []));
      return failureReply(error, request, commonHeaders, rateLimitHeaders(left ?? []));
    }
  };
}

/**
 * Joins the arguments of a write: the body, the path parameters, which take precedence, and the idempotency
 * key and author key from headers. Query parameters get a question mark before their names, so that no tool
 * knows them and the receipt names them as ignored. A body that is not an object is returned unchanged, and
 * the tool refuses it.
 * @throws WorkspaceError invalid_request if the body and a header have different keys
 */
function joinArguments(
  body: unknown,
  { url = '', headers }: IncomingMessage,
  parameters: object,
  authorKey: string | undefined,
): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const query = [...new URLSearchParams(rawQuery(url))];
  const inQuery = Object.fromEntries(query.map(([name, value]) => [`?${name}`, value]));
  const args: Record<string, unknown> = { ...body, ...inQuery, ...parameters };
  if (authorKey !== undefined) {
    const sent = args[AUTHOR_KEY] ?? '';
    if (!isNoKey(sent) && !(typeof sent === 'string' && isSameKey(sent, authorKey)))
      throw invalidRequestError([{ path: AUTHOR_KEY, message: OTHER_AUTHOR_KEY }]);
    args[AUTHOR_KEY] = authorKey;
  }
  // Node joins repeated headers, so the value is one string. It may be quoted (RFC 8941).
  const header = headers['idempotency-key'] as string | undefined;
  const key = header?.replace(/^"(.*)"$/, '$1') ?? '';
  if (key === '') return args;
  const inBody = args[IDEMPOTENCY_KEY] ?? '';
  if (inBody !== '' && inBody !== key)
    throw invalidRequestError([{ path: IDEMPOTENCY_KEY, message: OTHER_KEY }]);
  return { ...args, [IDEMPOTENCY_KEY]: key };
}

/** Creates RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers). */
function rateLimitHeaders(quotas: readonly Quota[]): Record<string, string> {
  if (quotas.length === 0) return {};
  return {
    'RateLimit-Policy': quotas
      .map(({ name, max, windowMs }) => `"${name}";q=${max};w=${windowMs / 1000}`)
      .join(', '),
    RateLimit: quotas
      .map(({ name, remaining, resetSeconds }) => `"${name}";r=${Math.max(0, remaining)};t=${resetSeconds}`)
      .join(', '),
  };
}
