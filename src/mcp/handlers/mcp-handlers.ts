import { type Context, toolsIn, type Toolset } from '#tool/define-tool.ts';
import type { RpcResponse } from '#tool/cached-result.ts';
import { fillIn } from '#tool/route.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { serviceIcons } from '#workspace/service/service.ts';
import type { Workspace } from '#workspace/workspace.ts';
import {
  createMethods,
  type Method,
  type MethodResult,
  type MethodsOptions,
} from '#mcp/methods/method-table.ts';
import { parameterKind, Resources } from '#mcp/methods/resources.ts';
import { type Call, createWaitParser, type Params } from '#mcp/protocol/call.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { createResponder, isCached, toProtocolError, writeError } from './rpc-response.ts';
import { serverInstructions } from './initialize.ts';

/** Code points of all texts in one result, so that a model's context window has room for other work. */
const TEXT_BUDGET = 40_000;

export interface McpHandlersOptions extends Pick<MethodsOptions, 'tools' | 'resultCache' | 'report'> {
  readonly toolset?: Toolset;
  readonly workspace: Workspace;
}

/** What an MCP endpoint offers, the same for every protocol revision and SDK. */
export type McpHandlers = ReturnType<typeof createMcpHandlers>;

/** Called once for each toolset. */
export function createMcpHandlers(options: McpHandlersOptions) {
  const { tools, toolset = 'all', workspace, resultCache, report } = options;
  const { service } = workspace;
  const resources = new Resources(tools);
  const methods = createMethods({ tools, toolset, resources, resultCache, report });
  const info = {
    name: service.name,
    title: 'Porchlight',
    version: service.version,
    ...(service.baseUrl !== null && { websiteUrl: service.baseUrl }),
    icons: serviceIcons(service),
  };
  const answer = createResponder(info, report);
  const toContext = (caller: Caller, signal?: AbortSignal): Context => ({
    workspace,
    caller: { ...caller, textBudget: TEXT_BUDGET },
    ...(signal && { signal }),
  });
  const find = (method: string): Method => methods.get(method) ?? refuseMethod;
  return {
    info,
    instructions: serverInstructions(service, toolset),
    /** Whether `answer` answers the method. An SDK answers every other one. */
    handles: (method: string): boolean => methods.has(method),
    /** The wait of a call. Returns undefined for a message that answers at once. */
    waitOf: createWaitParser(toolsIn(toolset, tools)),
    /** A failure becomes a response too. @param signal aborts a wait; without it no call waits */
    answer: (call: Call, caller: Caller, signal?: AbortSignal): Promise<RpcResponse> =>
      answer(find(call.method), call, toContext(caller, signal)),
    /** The response to a call that failed before a method ran. */
    fail: (call: Call, error: unknown): RpcResponse => writeError(call, toProtocolError(error, report)),
    /** Runs a method for an SDK, which adds members to the result. @throws ProtocolError */
    run: async (
      method: string,
      params: Params,
      caller: Caller,
      signal?: AbortSignal,
    ): Promise<MethodResult> => {
      try {
        const result = await find(method)(params, toContext(caller, signal));
        return isCached(result)
          ? (JSON.parse(`{${result.writeMembers(result.cached)}}`) as MethodResult)
          : result;
      } catch (error) {
        throw toProtocolError(error, report);
      }
    },
    hasResource: (uri: unknown): uri is string =>
      typeof uri === 'string' && resources.find(uri) !== undefined,
    /**
     * Finds the resource that changes whenever this one does: for a post the first post of its thread,
     * otherwise the resource itself.
     * @returns undefined if the URI names a record that is not visible @throws ProtocolError
     */
    findRootUri: async (uri: string): Promise<string | undefined> => {
      try {
        const { tool, parameters = {} } = resources.find(uri) ?? {};
        const roots: Record<string, string> = {};
        for (const [name, id] of Object.entries(parameters)) {
          const root = await workspace.findRoot(parameterKind(name), id);
          if (root === undefined) return undefined;
          roots[name] = root;
        }
        return fillIn(tool?.resource ?? uri, (name) => roots[name] ?? '');
      } catch (error) {
        throw toProtocolError(error, report);
      }
    },
    /** Calls the listener with what a change affects. @returns a function that ends the watch */
    watchResources: (listener: (uris: readonly string[]) => void): (() => void) =>
      workspace.store.watch((change) => {
        listener(resources.changedBy(change));
      }),
  };
}

function refuseMethod(): never {
  throw new ProtocolError(RPC.methodNotFound, 'There is no such method.');
}
