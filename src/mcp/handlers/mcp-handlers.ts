import { type Context, toolsIn, type Toolset } from '#tool/define-tool.ts';
import type { RpcResponse } from '#tool/mcp-endpoint.ts';
import { fillIn } from '#tool/route.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { serviceIcons } from '#workspace/service/service.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { createMethods, type MethodResult, type MethodsOptions } from '#mcp/methods/method-table.ts';
import { parameterKind, Resources } from '#mcp/methods/resources.ts';
import { type Call, createWaitParser, type Params, type Wait } from '#mcp/protocol/call.ts';
import { ProtocolError, RPC } from '#mcp/protocol/json-rpc.ts';
import { createResponder, isCached, toProtocolError, writeError } from './rpc-response.ts';
import { serverInstructions } from './initialize.ts';

/** The maximum code points of all texts in one result, so that a model's context keeps room for its work. */
const TEXT_BUDGET = 40_000;

export interface McpHandlersOptions extends Pick<MethodsOptions, 'tools' | 'resultCache' | 'report'> {
  readonly toolset?: Toolset;
  readonly workspace: Workspace;
}

/** What an MCP endpoint offers, the same for every protocol revision and SDK. */
export interface McpHandlers {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  readonly instructions: string;
  /** Whether `dispatch` serves the method. An SDK serves every other one. */
  handles(method: string): boolean;
  /** @returns the wait of a call; undefined for a message that gets its response at once */
  waitOf(message: unknown): Wait | undefined;
  /** Runs the method of a call. A failure becomes a response too. @param signal without it no call waits */
  dispatch(call: Call, caller: Caller, signal?: AbortSignal): Promise<RpcResponse>;
  /** @returns the response to a call that failed before a method ran */
  fail(call: Call, error: unknown): RpcResponse;
  /** Runs a method for an SDK, which adds members to the result. @throws ProtocolError */
  run(method: string, params: Params, caller: Caller, signal?: AbortSignal): Promise<MethodResult>;
  hasResource(uri: unknown): uri is string;
  /**
   * Finds the resource that changes whenever this one does: the first post of a post's thread, or itself.
   * @returns undefined if the URI names a record that is not visible @throws ProtocolError
   */
  findRootUri(uri: string): Promise<string | undefined>;
  /** Calls the listener with the URIs that a change affects. @returns a function that ends the watch */
  watchResources(listener: (uris: readonly string[]) => void): () => void;
}

/** Called once for each toolset. */
export function createMcpHandlers(options: McpHandlersOptions): McpHandlers {
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
  const respond = createResponder(info, report);
  const toContext = (caller: Caller, signal?: AbortSignal): Context => ({
    workspace,
    caller: { ...caller, textBudget: TEXT_BUDGET },
    ...(signal && { signal }),
  });
  return {
    info,
    instructions: serverInstructions(service, toolset),
    handles: (method) => methods.has(method),
    waitOf: createWaitParser(toolsIn(toolset, tools)),
    dispatch: (call, caller, signal) =>
      respond(methods.get(call.method) ?? refuseMethod, call, toContext(caller, signal)),
    fail: (call, error) => writeError(call, toProtocolError(error, report)),
    run: async (method, params, caller, signal) => {
      try {
        const result = await (methods.get(method) ?? refuseMethod)(params, toContext(caller, signal));
        return isCached(result)
          ? (JSON.parse(`{${result.writeMembers(result.cached)}}`) as MethodResult)
          : result;
      } catch (error) {
        throw toProtocolError(error, report);
      }
    },
    hasResource: (uri): uri is string => typeof uri === 'string' && resources.find(uri) !== undefined,
    findRootUri: async (uri) => {
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
    watchResources: (listener) =>
      workspace.store.watch((change) => {
        listener(resources.changedBy(change));
      }),
  };
}

function refuseMethod(): never {
  throw new ProtocolError(RPC.methodNotFound, 'There is no such method.');
}
