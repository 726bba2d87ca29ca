import { CachedResult } from '#tool/cached-result.ts';
import { callTool } from '#tool/call-tool.ts';
import { type AnyTool, type Context, isRead, toolsIn, type Toolset } from '#tool/define-tool.ts';
import { inputSchema, listedOutputSchema } from '#tool/json-schema.ts';
import { fillIn } from '#tool/route.ts';
import { runRead } from '#tool/run-read.ts';
import { type Failure, toWorkspaceError, type WorkspaceError } from '#workspace/service/errors.ts';
import { requireString, type Params } from '#mcp/protocol/call.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { completeArgument, type Records } from './completion.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import { JSON_TYPE, MAX_URI_CHARACTERS } from './resources.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';

export type MethodResult = Readonly<Record<string, unknown>>;

type WriteMembers = (result: CachedResult) => string;

/** A result of a method that is the cached result of a read, which holds its bytes too. */
export interface CachedMethodResult {
  readonly cached: CachedResult;
  /** Writes the members as JSON. All results of one kind have one function, the key of their bytes. */
  readonly writeMembers: WriteMembers;
}

/** @throws ProtocolError; any other error is a failure of the call */
export type Method = (
  params: Params,
  context: Context,
) => MethodResult | Promise<MethodResult | CachedMethodResult>;

export interface MethodsOptions extends Records {
  readonly toolset: Toolset;
  readonly report: ReportFailure;
}

/** The methods that both generations of the protocol get here. A Map, since a client may name `__proto__`. */
export function createMethods(options: MethodsOptions): ReadonlyMap<string, Method> {
  const { tools, toolset, resources, resultCache } = options;
  const offered = toolsIn(toolset, tools);
  const toDescriptor = toolset === 'all' ? toToolDescriptor : toCoreDescriptor;
  return new Map<string, Method>([
    ['tools/list', list(() => ({ tools: offered.map(toDescriptor) }))],
    ['tools/call', callMethod(options, new Map(offered.map((tool) => [tool.name, tool])))],
    ['resources/list', list(() => ({ resources: resources.list }))],
    ['resources/templates/list', list(() => ({ resourceTemplates: resources.templates }))],
    ['resources/read', readMethod(options)],
    ['prompts/list', list(() => ({ prompts: PROMPTS }))],
    [
      'prompts/get',
      ({ name, arguments: args }, context) =>
        resultCache.gate.run(context.caller, () => getPrompt(name, args, context)).result,
    ],
    ['completion/complete', (params, context) => completeArgument(options, params, context)],
  ]);
}

export function toToolDescriptor(tool: AnyTool) {
  const { name, title, description } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(tool),
    outputSchema: listedOutputSchema(tool),
    // A write cannot change or remove an existing record.
    annotations: {
      readOnlyHint: isRead(tool),
      destructiveHint: false,
      ...(tool.reports && { idempotentHint: true }),
      // Whether the output may contain texts of strangers.
      openWorldHint: tool.reports !== true,
    },
  };
}

export function toCoreDescriptor(tool: AnyTool) {
  const { outputSchema: _, ...descriptor } = toToolDescriptor(tool);
  return descriptor;
}

/** A list is made once. It has one page, so any cursor is an error. */
function list(make: () => MethodResult): Method {
  let cached: CachedResult | undefined;
  const writeMembers: WriteMembers = ({ text }) => text.slice(1, -1);
  return ({ cursor }) => {
    if (cursor !== undefined && cursor !== null)
      throw new ProtocolError(RPC.invalidParams, 'There is no such cursor: the list has one page.');
    if (cached === undefined) {
      const output = make();
      cached = new CachedResult({ input: {}, output, text: JSON.stringify(output) });
    }
    return { cached, writeMembers };
  };
}

/** Calls a tool: reads from the cache, writes, and waits as long as the context has a signal. */
function callMethod(
  { tools, toolset, resultCache, report }: MethodsOptions,
  offered: ReadonlyMap<string, AnyTool>,
): Method {
  const writeMembers: WriteMembers = ({ text }) => {
    const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
    return toolset === 'all' ? `${content},"structuredContent":${text}` : content;
  };
  const write = async (tool: AnyTool, args: unknown, context: Context): Promise<MethodResult> => {
    // Without the long text that the caller has just sent.
    const { [tool.longText ?? '']: _, ...receipt } = await callTool(tool, args, context);
    const content = [{ type: 'text', text: JSON.stringify(receipt) }];
    // The same JSON twice, since some hosts read only one of them.
    return { content, ...(toolset === 'all' && { structuredContent: receipt }) };
  };
  return async ({ name, arguments: sent }, context) => {
    const tool = offered.get(requireString(name, 'name'));
    if (tool === undefined) throw unknownToolError(tools.find((other) => other.name === name));
    const args = sent ?? {};
    try {
      if (!isRead(tool)) return await write(tool, args, context);
      return { cached: await runRead(resultCache, tool, args, context), writeMembers };
    } catch (error) {
      // Text only: SDK v1's client validates `structuredContent` even when `isError` is set.
      return { content: [{ type: 'text', text: JSON.stringify(toFailure(error, report)) }], isError: true };
    }
  };
}

function unknownToolError(other: AnyTool | undefined): ProtocolError {
  const message =
    other === undefined
      ? 'There is no such tool; tools/list lists them.'
      : `${other.name} is not a core tool; it is at /mcp, or over stdio without --tools core.`;
  return new ProtocolError(RPC.invalidParams, message);
}

const UNKNOWN_RESOURCE: Failure = {
  code: 'not_found',
  detail: 'There is no such resource; resources/list and resources/templates/list list them.',
};

function readMethod({ tools, resources, resultCache, report }: MethodsOptions): Method {
  const writers = new Map(
    tools.map((tool): [AnyTool, WriteMembers] => [
      tool,
      ({ input, text }) => {
        const uri = fillIn(tool.resource ?? '', (name) => String(input[name]));
        return JSON.stringify({ contents: [{ uri, mimeType: JSON_TYPE, text }] }).slice(1, -1);
      },
    ]),
  );
  return async (params, context) => {
    const uri = requireString(params['uri'], 'uri');
    const read = resources.find(uri);
    const writeMembers = read && writers.get(read.tool);
    if (read === undefined || writeMembers === undefined) throw toResourceError(UNKNOWN_RESOURCE, uri);
    try {
      return { cached: await resultCache.run(read.tool, read.args, context), writeMembers };
    } catch (error) {
      throw toResourceError(toFailure(error, report), uri);
    }
  };
}

/**
 * An error repeats only a URI of the characters (RFC 3986 section 2) and the length of a resource, so that it
 * has no sentence that a model could follow.
 */
const REPEATABLE_URI = new RegExp(`^[\\w.~:/?#[\\]@!$&'()*+,;=%-]{1,${MAX_URI_CHARACTERS}}$`);

/** Receives each error of a call. One with a cause is a failure of the server. */
export type ReportFailure = (error: WorkspaceError) => void;

export function toFailure(thrown: unknown, report: ReportFailure): Failure {
  const error = toWorkspaceError(thrown);
  report(error);
  return error.failure;
}

/**
 * `resources/read` has no result with `isError`.
 * @param uri if there is no such resource, `data.uri` repeats it (SEP-2164)
 */
export function toResourceError(failure: Failure, uri?: string): ProtocolError {
  const code =
    failure.code === 'not_found'
      ? RPC.resourceNotFound
      : failure.code === 'invalid_request' || failure.code === 'looks_like_secret'
        ? RPC.invalidParams
        : RPC.internal;
  const isRepeated =
    failure.code === 'not_found' && uri !== undefined && REPEATABLE_URI.test(uri) && !holdsAuthorKey(uri);
  return new ProtocolError(code, failure.detail, { ...failure, ...(isRepeated && { uri }) });
}
