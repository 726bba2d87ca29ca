import { CachedResult } from '#tool/cached-result.ts';
import { callTool } from '#tool/call-tool.ts';
import { type AnyTool, type Context, isRead, toolsIn, type Toolset } from '#tool/define-tool.ts';
import { inputSchema, listedOutputSchema } from '#tool/json-schema.ts';
import { fillIn } from '#tool/route.ts';
import { runRead } from '#tool/run-read.ts';
import { type Failure, toWorkspaceError, type WorkspaceError } from '#workspace/service/errors.ts';
import { requireString, type Params } from '#mcp/protocol/call.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { completeArgument, type CompletionSources } from './completion.ts';
import { getPrompt, PROMPTS } from './prompts.ts';
import { JSON_TYPE, MAX_URI_CHARACTERS } from './resources.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';

export type MethodResult = Readonly<Record<string, unknown>>;

type WriteMembers = (result: CachedResult) => string;

/** A method result that is the cached result of a read, which keeps its bytes too. */
export interface CachedMethodResult {
  readonly cached: CachedResult;
  /** Writes the members as JSON. Results of one kind share one function, which is the key of their bytes. */
  readonly writeMembers: WriteMembers;
}

/** @throws ProtocolError; any other error is a failure of the call */
export type Method = (
  params: Params,
  context: Context,
) => MethodResult | Promise<MethodResult | CachedMethodResult>;

export interface MethodsOptions extends CompletionSources {
  readonly toolset: Toolset;
  readonly report: ReportFailure;
}

/** Creates the methods of both generations of the protocol. A Map, since a client may name `__proto__`. */
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
      // Whether the output may contain texts that strangers wrote.
      openWorldHint: tool.reports !== true,
    },
  };
}

export function toCoreDescriptor(tool: AnyTool) {
  const { outputSchema: _, ...descriptor } = toToolDescriptor(tool);
  return descriptor;
}

/** Creates a list method, whose result is created once. It has one page, so any cursor is an error. */
function list(make: () => MethodResult): Method {
  let cached: CachedResult | undefined;
  const writeMembers: WriteMembers = ({ text }) => text.slice(1, -1);
  return ({ cursor }) => {
    if (cursor !== undefined && cursor !== null)
      throw new ProtocolError(
        RPC.invalidParams,
        'There is no such cursor: the list has only one page, so leave the cursor out.',
      );
    if (cached === undefined) {
      const output = make();
      cached = new CachedResult({ input: {}, output, text: JSON.stringify(output) });
    }
    return { cached, writeMembers };
  };
}

/** Creates the method that calls a tool. A call waits only if the context has a signal. */
function callMethod(
  { tools, toolset, resultCache, report }: MethodsOptions,
  offered: ReadonlyMap<string, AnyTool>,
): Method {
  const writeMembers: WriteMembers = ({ text }) => {
    const content = `"content":[{"type":"text","text":${JSON.stringify(text)}}]`;
    return toolset === 'all' ? `${content},"structuredContent":${text}` : content;
  };
  const write = async (tool: AnyTool, args: unknown, context: Context): Promise<MethodResult> => {
    // The caller has just sent the long text, so the result leaves it out.
    const { [tool.longText ?? '']: _, ...receipt } = await callTool(tool, args, context);
    const content = [{ type: 'text', text: JSON.stringify(receipt) }];
    // The same JSON twice, because some hosts read only one of the two.
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
      // Text only, because SDK v1's client validates `structuredContent` even when `isError` is set.
      return { content: [{ type: 'text', text: JSON.stringify(toFailure(error, report)) }], isError: true };
    }
  };
}

function unknownToolError(other: AnyTool | undefined): ProtocolError {
  const message =
    other === undefined
      ? 'Unknown tool; call tools/list for the available tools.'
      : `${other.name} is not a core tool; use it at /mcp, or over stdio without --tools core.`;
  return new ProtocolError(RPC.invalidParams, message);
}

const UNKNOWN_RESOURCE: Failure = {
  code: 'not_found',
  detail: 'Unknown resource; call resources/list and resources/templates/list for the available resources.',
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
 * The URIs that an error repeats: with URI characters only (RFC 3986 section 2) and no longer than a resource
 * URI, so that the error contains no sentence that a model could follow.
 */
const REPEATABLE_URI = new RegExp(`^[\\w.~:/?#[\\]@!$&'()*+,;=%-]{1,${MAX_URI_CHARACTERS}}$`);

/** Receives every error of a call. An error with a cause is a failure of the server. */
export type ReportFailure = (error: WorkspaceError) => void;

export function toFailure(thrown: unknown, report: ReportFailure): Failure {
  const error = toWorkspaceError(thrown);
  report(error);
  return error.failure;
}

/**
 * Creates the error of a method that, like `resources/read`, has no result with `isError`.
 * @param uri if the resource is unknown, `data.uri` repeats it (SEP-2164)
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
