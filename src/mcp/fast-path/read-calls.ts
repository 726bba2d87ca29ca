import type { IncomingHttpHeaders } from 'node:http';
import type { CachedResult, RpcResponse } from '#tool/cached-result.ts';
import { type AnyTool, type Context, toolsIn, type Toolset } from '#tool/define-tool.ts';
import { chain, type MaybePromise } from '#tool/maybe-promise.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import { runRead } from '#tool/wait-for-result.ts';
import type { MethodResult } from '#mcp/protocol/methods.ts';
import { toPlainCall, type PlainCall } from './plain-call.ts';
import { isObject } from '#mcp/protocol/json-rpc.ts';
import { RPC } from '#mcp/protocol/errors.ts';
import type { Resources } from '#mcp/protocol/resources.ts';
import { createForms, jsonMembers } from './response-forms.ts';
import { toFailure, toResourceError, toToolFailure, type ReportFailure } from '#mcp/protocol/result.ts';

/** Runs a read and returns its response. Failures become responses too. */
export type ReadCall = () => MaybePromise<RpcResponse>;

interface Dependencies {
  readonly tools: readonly AnyTool[];
  readonly toolset: Toolset;
  readonly resources: Resources;
  readonly results: ResultCache;
  /** Results of the list methods, which never change. */
  readonly lists: Readonly<Record<string, () => MethodResult>>;
  readonly info: object;
  readonly report: ReportFailure;
}

/**
 * Serves well-formed reads from the result cache, and lists, without an SDK. The responses have the bytes
 * that the SDK of the revision sends; test/unit/http/fast-path/mcp-calls.test.ts and
 * test/unit/mcp/fast-path/read-calls.test.ts compare the two.
 */
export function createReadCalls({ tools, toolset, resources, results, lists, info, report }: Dependencies) {
  const offered = toolsIn(toolset, tools);
  const readTools = new Map(
    offered.filter(({ annotations }) => annotations.readOnlyHint).map((tool) => [tool.name, tool]),
  );
  const handshake = createForms('', toolset);
  const perRequest = createForms(
    `,"resultType":"complete","_meta":${JSON.stringify({ 'io.modelcontextprotocol/serverInfo': info })}`,
    toolset,
  );

  function toReadCall({ method, params, ...call }: PlainCall, context: Context): ReadCall | undefined {
    const forms = call.perRequest ? perRequest : handshake;
    const after = `${JSON.stringify(call.id)}}`;
    if (method === 'tools/call') {
      const tool = readTools.get(params['name'] as string);
      const { arguments: args = {} } = params;
      if (tool === undefined || !isObject(args)) return undefined;
      return () =>
        respond(
          () => runRead(results, tool, args, context),
          (result) => ({ before: result.form(forms.tool).before, after }),
          (error) => ({
            before: forms.wrap(method, jsonMembers(toToolFailure(toFailure(error, report)))),
            after,
          }),
        );
    }
    if (params['arguments'] !== undefined) return undefined;
    if (method === 'resources/read') {
      const { uri } = params;
      if (typeof uri !== 'string') return undefined;
      const read = resources.find(uri);
      if (read === undefined) return undefined;
      const form = forms.resource(read.tool);
      return () =>
        respond(
          () => results.run(read.tool, read.args, context),
          (result) => ({ before: result.form(form).before, after }),
          (error) => toResourceErrorResponse(call, toResourceError(toFailure(error, report), uri)),
        );
    }
    const list = Object.hasOwn(lists, method) ? lists[method] : undefined;
    return list && (() => ({ before: forms.list(method, list), after }));
  }

  /** @returns undefined for every other message, which an SDK handles */
  return (message: unknown, context: Context, headers?: IncomingHttpHeaders): ReadCall | undefined => {
    const call = toPlainCall(message, headers);
    return call && toReadCall(call, context);
  };
}

function respond(
  read: () => MaybePromise<CachedResult>,
  toResponse: (result: CachedResult) => RpcResponse,
  toErrorResponse: (error: unknown) => RpcResponse,
): MaybePromise<RpcResponse> {
  try {
    const response = chain(read(), toResponse);
    return response instanceof Promise ? response.catch(toErrorResponse) : response;
  } catch (error) {
    return toErrorResponse(error);
  }
}

/** In PER_REQUEST_VERSION an unknown resource is `invalidParams` (SEP-2164). */
function toResourceErrorResponse(
  { id, perRequest }: Pick<PlainCall, 'id' | 'perRequest'>,
  { code, message, data }: ReturnType<typeof toResourceError>,
): RpcResponse {
  const error = {
    code: perRequest && code === RPC.resourceNotFound ? RPC.invalidParams : code,
    message,
    data,
  };
  return {
    before: Buffer.from('{"jsonrpc":"2.0","id":'),
    after: `${JSON.stringify(id)},${jsonMembers({ error })}}`,
  };
}
