import type { IncomingHttpHeaders } from 'node:http';
import type { CachedResult, Form } from '#tool/cached-result.ts';
import type { AnyTool, Context } from '#tool/define.ts';
import { chain, type MaybePromise } from '#tool/maybe-promise.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import { fillIn } from '#tool/route.ts';
import { CACHE_HINTS } from './cache-hints.ts';
import type { Answer } from './methods.ts';
import { isObject, toPlainCall, type PlainCall } from './plain-call.ts';
import { RPC } from './protocol-error.ts';
import type { Resources } from './resources.ts';
import { failureOf, toResource, toResourceError, toToolFailure, type Report } from './result.ts';

/** A JSON-RPC response in two parts: what is shared by all who ask, and what begins with the id of one request. */
export interface RpcResponse {
  readonly before: Buffer;
  readonly after: string;
}

export type ReadCall = () => MaybePromise<RpcResponse>;

interface ResponseForm extends Form {
  readonly before: Buffer;
}

interface Dependencies {
  readonly tools: readonly AnyTool[];
  readonly resources: Resources;
  readonly results: ResultCache;
  /** Results that never change, by method. */
  readonly lists: Readonly<Record<string, () => Answer>>;
  readonly info: object;
  readonly report: Report;
}

/**
 * Answers well-formed calls that only read without an SDK, from the result cache, with the bytes that the SDK of the
 * revision would send. test/mcp/read-calls.test.ts compares the two.
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
            before: forms.wrap(method, membersOf(toToolFailure(failureOf(error, report)))),
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
          (error) => toErrorResponse(call, toResourceError(failureOf(error, report))),
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

/** The forms of one revision. @param tail what its SDK adds at the end of each result */
function createForms(tail: string) {
  const hint = (method: string): string =>
    tail === '' || CACHE_HINTS[method] === undefined ? '' : `,${membersOf(CACHE_HINTS[method])}`;
  const wrap = (method: string, members: string): Buffer =>
    Buffer.from(`{"result":{${members}${hint(method)}${tail}},"jsonrpc":"2.0","id":`);
  const toForm = (method: string, members: string): ResponseForm => {
    const before = wrap(method, members);
    return { before, size: before.length };
  };
  const lists = new Map<string, Buffer>();
  const resources = new Map<AnyTool, (result: CachedResult) => ResponseForm>();
  return {
    wrap,
    tool: ({ text }: CachedResult): ResponseForm =>
      toForm(
        'tools/call',
        `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`,
      ),
    /** @returns the same function for the same tool, since a form is kept under the function that makes it */
    resource: (tool: AnyTool): ((result: CachedResult) => ResponseForm) => {
      const known = resources.get(tool);
      if (known !== undefined) return known;
      const make = ({ input, text }: CachedResult): ResponseForm => {
        const uri = fillIn(tool.resource ?? '', (name) => String(input[name]));
        return toForm('resources/read', membersOf(toResource(uri, text)));
      };
      resources.set(tool, make);
      return make;
    },
    list: (method: string, list: () => Answer): Buffer => {
      const bytes = lists.get(method) ?? wrap(method, membersOf(list()));
      lists.set(method, bytes);
      return bytes;
    },
  };
}

/** The members of an object as JSON, without its braces. */
function membersOf(value: object): string {
  return JSON.stringify(value).slice(1, -1);
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
