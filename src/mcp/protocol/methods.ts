import { type AnyTool, type Context, toolsIn, type Toolset } from '#tool/define-tool.ts';
import { listedOutputSchema, inputSchema } from '#tool/json-schema.ts';
import { callTool } from '#tool/call-tool.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import { runRead } from '#tool/wait-for-result.ts';
import type { Failure } from '#workspace/service/errors.ts';
import { PROMPTS, getPrompt } from './prompts.ts';
import { ProtocolError, RPC } from './errors.ts';
import { Resources } from './resources.ts';
import {
  toFailure,
  toReceipt,
  toResource,
  toResourceError,
  toToolFailure,
  toToolResult,
  type ReportFailure,
} from './result.ts';

export type Params = Readonly<Record<string, unknown>>;

/** The result of a method, the same in every protocol revision. */
export type MethodResult = Record<string, unknown>;

const UNKNOWN_RESOURCE: Failure = {
  code: 'not_found',
  detail: 'There is no such resource; resources/list and resources/templates/list list them.',
};

type Method = (params: Params, context: Context) => MethodResult | Promise<MethodResult>;

/** A tool in `tools/list` of `/mcp`. */
export function toToolDescriptor(tool: AnyTool) {
  const { name, title, description, annotations } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchema(tool),
    outputSchema: listedOutputSchema(tool),
    annotations,
  };
}

/** A tool in `tools/list` of `/mcp/core`: without its output schema. */
export function toCoreDescriptor(tool: AnyTool) {
  const { outputSchema: _, ...descriptor } = toToolDescriptor(tool);
  return descriptor;
}

export function createMethods(
  tools: readonly AnyTool[],
  toolset: Toolset,
  results: ResultCache,
  report: ReportFailure,
) {
  const resources = new Resources(tools);
  const offered = toolsIn(toolset, tools);
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const toDescriptor = toolset === 'all' ? toToolDescriptor : toCoreDescriptor;
  const lists: Readonly<Record<string, () => MethodResult>> = {
    'tools/list': once(() => ({ tools: offered.map(toDescriptor) })),
    'resources/list': () => ({ resources: resources.list }),
    'resources/templates/list': () => ({ resourceTemplates: resources.templates }),
    'prompts/list': () => ({ prompts: PROMPTS }),
  };
  const methods: Readonly<Record<string, Method>> = {
    ...Object.fromEntries(Object.entries(lists).map(([name, make]) => [name, list(make)])),
    'prompts/get': ({ name, arguments: args }, context) =>
      results.gate.run(context.caller, () => getPrompt(name, args, context)).result,

    'tools/call': async ({ name, arguments: args = {} }, context) => {
      const tool = byName.get(requireString(name, 'name'));
      if (tool === undefined) throw unknownToolError(tools.find((other) => other.name === name));
      try {
        if (!tool.annotations.readOnlyHint) {
          const receipt = toReceipt(tool, await callTool(tool, args ?? {}, context));
          return toToolResult(receipt, JSON.stringify(receipt), toolset);
        }
        const { output, text: json } = await runRead(results, tool, args ?? {}, context);
        return toToolResult(output, json, toolset);
      } catch (error) {
        return toToolFailure(toFailure(error, report));
      }
    },

    'resources/read': async (params, context) => {
      const uri = requireString(params['uri'], 'uri');
      const read = resources.find(uri);
      if (read === undefined) throw toResourceError(UNKNOWN_RESOURCE, uri);
      try {
        const { text: json } = await results.run(read.tool, read.args, context);
        return toResource(uri, json);
      } catch (error) {
        throw toResourceError(toFailure(error, report), uri);
      }
    },

    'completion/complete': ({ ref, argument }, context) => {
      const { name, value } = (argument ?? {}) as Params;
      const sought = {
        name: requireString(name, 'argument.name'),
        prefix: requireString(value, 'argument.value'),
      };
      if (!argumentsOf(resources, (ref ?? {}) as Params).includes(sought.name)) {
        const detail = 'params.ref must be a prompt or a resource template that has this argument.';
        throw new ProtocolError(RPC.invalidParams, detail);
      }
      return complete({ tools, results }, sought, context);
    },
  };
  return { methods, lists, resources };
}

/** @param elsewhere the tool with this name at the other endpoint */
function unknownToolError(elsewhere: AnyTool | undefined): ProtocolError {
  const message =
    elsewhere === undefined
      ? 'There is no such tool; tools/list lists them.'
      : `${elsewhere.name} is not a core tool; it is at /mcp, or in stdio without --tools core.`;
  return new ProtocolError(RPC.invalidParams, message);
}

/** Lists have one page, so any cursor is an error. */
function list(make: () => MethodResult): Method {
  return ({ cursor }) => {
    if (cursor !== undefined && cursor !== null) {
      throw new ProtocolError(RPC.invalidParams, 'There is no such cursor: the list has one page.');
    }
    return make();
  };
}

function once(make: () => MethodResult): () => MethodResult {
  let result: MethodResult | undefined;
  return () => (result ??= make());
}

function requireString(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new ProtocolError(RPC.invalidParams, `params.${name} must be a string.`);
}

/** The most values of a completion/complete result (MCP specification). */
const MAX_COMPLETIONS = 100;

/** The arguments of the prompt or resource template that a reference names; none for an unknown one. */
function argumentsOf({ templates }: Resources, { type, name, uri }: Params): string[] {
  if (type === 'ref/prompt')
    return PROMPTS.find((prompt) => prompt.name === name)?.arguments?.map((one) => one.name) ?? [];
  const template = templates.find(({ uriTemplate }) => type === 'ref/resource' && uriTemplate === uri);
  return [...(template?.uriTemplate ?? '').matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
}

/** The time between making the id of a record and storing it, at most. */
const MAX_STORING_MS = 10_000;

/** The newest time of an id with this prefix: a UUIDv7 begins with 48 bits of milliseconds since 1970. */
function newestTime(prefix: string): number {
  const [, digits = ''] = /^[a-z]+_([0-9a-f-]*)/.exec(prefix) ?? [];
  return parseInt(digits.replaceAll('-', '').slice(0, 12).padEnd(12, 'f'), 16) + MAX_STORING_MS;
}

/**
 * Completes an argument of a prompt or resource template with the ids that have the prefix, from the newest
 * page of the tool that lists them or, if none there has it, from the page of the time that it begins with.
 * @param name of the argument
 * @param prefix what the user has typed
 */
async function complete(
  { tools, results }: { tools: readonly AnyTool[]; results: ResultCache },
  { name, prefix }: { name: string; prefix: string },
  { workspace, caller }: Context,
) {
  const tool = tools.find(({ completes }) => completes === name);
  // No text budget, because the result has ids only.
  const context = { workspace, caller: { ...caller, textBudget: Infinity } };
  const search = async (before: object) => {
    const page = await (tool && results.run(tool, { limit: MAX_COMPLETIONS, ...before }, context));
    const records = Object.values(page?.output ?? {}).find(Array.isArray) as { id: string }[] | undefined;
    const ids = (records ?? []).map(({ id }) => id);
    const hasMore = page?.output['nextBefore'] != null && ids.at(-1)?.startsWith(prefix) === true;
    return { values: ids.filter((id) => id.startsWith(prefix)), hasMore };
  };
  const newest = newestTime(prefix);
  const completion = await search({});
  if (completion.values.length > 0 || newest >= workspace.now()) return { completion };
  return { completion: await search({ before: new Date(newest).toISOString() }) };
}
