import type { IncomingHttpHeaders } from 'node:http';
import type { CachedResult } from '#tool/cached-result.ts';
import type { AnyTool, Context } from '#tool/define-tool.ts';
import { chain, type MaybePromise } from '#tool/maybe-promise.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import type { MethodResult } from '#mcp/methods.ts';
import { isObject, toPlainCall, type PlainCall } from './plain-call.ts';
import { RPC } from '#mcp/errors.ts';
import type { Resources } from '#mcp/resources.ts';
import { createForms, membersOf } from './response-forms.ts';
import { toFailure, toResourceError, toToolFailure, type ReportFailure } from '#mcp/result.ts';

/** A JSON-RPC response in two parts: what is shared by all who ask, and what begins with the id of one request. */
export interface RpcResponse {
  readonly before: Buffer;
  readonly after: string;
}

export type ReadCall = () => MaybePromise<RpcResponse>;

interface Dependencies {
  readonly tools: readonly AnyTool[];
  readonly resources: Resources;
  readonly results: ResultCache;
  /** Results that never change, by method. */
  readonly lists: Readonly<Record<string, () => MethodResult>>;
  readonly info: object;
  readonly report: ReportFailure;
}

/**
 * Answers well-formed calls that only read without an SDK, from the result cache, with the bytes that the SDK of the
 * revision would send. test/unit/http/fast-path/mcp-calls.test.ts and test/unit/mcp/fast-path/read-calls.test.ts compare the two.
 */
export function createReadCalls({ tools, resources, results, lists, info, report }: Dependencies) {
  const readTools = new Map(
    tools.filter(({ annotations }) => annotations.readOnlyHint).map((tool) => [tool.name, tool]),
  );
  const handshake = createForms('');
  const perRequest = createForms(
    `,"resultType":"complete","_meta":${JSON.stringify({ 'io.modelcontextprotocol/serverInfo': info })}`,
  );

  function toReader({ method, params, ...call }: PlainCall, context: Context): ReadCall | undefined {
    const forms = call.perRequest ? perRequest : handshake;
    const after = `${JSON.stringify(call.id)}}`;
    if (method === 'tools/call') {
      const tool = readTools.get(params['name'] as string);
      const { arguments: args = {} } = params;
      if (tool === undefined || !isObject(args)) return undefined;
      return () =>
        answer(
          () => results.run(tool, args, context),
          (result) => ({ before: result.form(forms.tool).before, after }),
          (error) => ({
            before: forms.wrap(method, membersOf(toToolFailure(toFailure(error, report)))),
            after,
          }),
        );
    }
    if (params['arguments'] !== undefined) return undefined;
    if (method === 'resources/read') {
      const reading = typeof params['uri'] === 'string' ? resources.find(params['uri']) : undefined;
      if (reading === undefined) return undefined;
      const form = forms.resource(reading.tool);
      return () =>
        answer(
          () => results.run(reading.tool, reading.args, context),
          (result) => ({ before: result.form(form).before, after }),
          (error) => toErrorResponse(call, toResourceError(toFailure(error, report))),
        );
    }
    const list = Object.hasOwn(lists, method) ? lists[method] : undefined;
    return list && (() => ({ before: forms.list(method, list), after }));
  }

  /** @returns undefined for every other message, which an SDK has to judge */
  return (message: unknown, context: Context, headers?: IncomingHttpHeaders): ReadCall | undefined => {
    const call = toPlainCall(message, headers);
    return call && toReader(call, context);
  };
}

/** Runs a read; a failure has a response too. */
function answer(
  read: () => MaybePromise<CachedResult>,
  toResponse: (result: CachedResult) => RpcResponse,
  toFailure: (error: unknown) => RpcResponse,
): MaybePromise<RpcResponse> {
  try {
    const answered = chain(read(), toResponse);
    return answered instanceof Promise ? answered.catch(toFailure) : answered;
  } catch (error) {
    return toFailure(error);
  }
}

/** The newer revision has no code of its own for a resource that is not there. */
function toErrorResponse(
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
    after: `${JSON.stringify(id)},${membersOf({ error })}}`,
  };
}
