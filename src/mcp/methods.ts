import type { Result, Tool as ListedTool } from '@modelcontextprotocol/sdk/types.js';
import { call } from '#tool/call.ts';
import type { AnyTool, Context } from '#tool/define.ts';
import { briefOutputSchemaOf, inputSchemaOf } from '#tool/json-schema.ts';
import { toWorkspaceError, type WorkspaceError } from '#workspace/errors.ts';
import { completionOf } from './completion.ts';
import { PROMPTS, promptOf } from './prompts.ts';
import { ProtocolError, RPC } from './protocol-error.ts';
import { Resources } from './resources.ts';
import { toResource, toResourceError, toToolFailure, toToolResult } from './result.ts';

type Params = Readonly<Record<string, unknown>>;

/** Answers one method of the protocol. */
export type Method = (params: Params, context: Context) => Result | Promise<Result>;

/** Told of failures that are ours, for the log. */
export type Report = (error: WorkspaceError) => void;

/** How a tool is told of in tools/list. */
export function toListedTool(tool: AnyTool): ListedTool {
  const { name, title, description, annotations } = tool;
  const schemas = { inputSchema: inputSchemaOf(tool), outputSchema: briefOutputSchemaOf(tool) };
  return { name, title, description, ...schemas, annotations } as unknown as ListedTool;
}

/** Everything the server answers, whichever transport and protocol revision asks. The lists are made once. */
export function methodsOf(tools: readonly AnyTool[], report: Report): Readonly<Record<string, Method>> {
  const resources = new Resources(tools);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const failed = (error: unknown): WorkspaceError => {
    const failure = toWorkspaceError(error);
    if (failure.cause !== undefined) report(failure);
    return failure;
  };
  return {
    'tools/list': list({ tools: tools.map(toListedTool) }),
    'resources/list': list({ resources: resources.list }),
    'resources/templates/list': list({ resourceTemplates: resources.templates }),
    'prompts/list': list({ prompts: PROMPTS }),
    'prompts/get': ({ name }) => promptOf(name),

    'tools/call': async ({ name, arguments: args = {} }, context) => {
      const tool = byName.get(text(name, 'name'));
      if (tool === undefined) throw new ProtocolError(RPC.invalidParams, 'There is no such tool; tools/list names them all.');
      try {
        return toToolResult(await call(tool, args ?? {}, context));
      } catch (error) {
        return toToolFailure(failed(error).failure);
      }
    },

    'resources/read': async ({ uri }, context) => {
      const reading = resources.find(text(uri, 'uri'));
      if (reading === undefined) {
        throw new ProtocolError(RPC.resourceNotFound, 'There is no such resource; resources/list and '
          + 'resources/templates/list name them all.');
      }
      try {
        return toResource(uri as string, await call(reading.tool, reading.args, context));
      } catch (error) {
        throw toResourceError(failed(error).failure);
      }
    },

    'completion/complete': ({ argument }, { workspace }) => {
      const { name, value } = (argument ?? {}) as Params;
      return completionOf(workspace, text(name, 'argument.name'), text(value, 'argument.value'));
    },
  };
}

/** A list in one page: a cursor can only be a mistake. */
function list(result: Result): Method {
  return ({ cursor }) => {
    if (cursor !== undefined && cursor !== null) {
      throw new ProtocolError(RPC.invalidParams, 'There is no such cursor: the list has one page.');
    }
    return result;
  };
}

function text(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new ProtocolError(RPC.invalidParams, `params.${name} must be a string.`);
}
