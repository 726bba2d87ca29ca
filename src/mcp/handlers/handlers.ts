import type { IncomingHttpHeaders } from 'node:http';
import { type AnyTool, type Context, toolsIn, type Toolset } from '#tool/define-tool.ts';
import { fillIn } from '#tool/route.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import { waitForResult } from '#tool/wait-for-result.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { serviceIcons } from '#workspace/service/icon.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { serverInstructions } from './instructions.ts';
import { createMethods, type MethodResult, type Params } from '#mcp/protocol/methods.ts';
import { ProtocolError, RPC } from '#mcp/protocol/errors.ts';
import { parameterKind } from '#mcp/protocol/resources.ts';
import { createReadCalls, type ReadCall } from '#mcp/fast-path/read-calls.ts';
import {
  toFailure,
  toResourceError,
  toToolFailure,
  toToolResult,
  type ReportFailure,
} from '#mcp/protocol/result.ts';
import { createWaitingCallReader, type WaitingCall } from '#mcp/protocol/waiting-call.ts';

/** Code points of all texts in one result, so that a model's context window keeps room for other work. */
const TEXT_BUDGET = 40_000;

interface McpHandlersOptions {
  /** All tools of the service, whose reads are resources of every endpoint. */
  readonly tools: readonly AnyTool[];
  readonly toolset?: Toolset;
  readonly workspace: Workspace;
  /** Shared with the other transports. */
  readonly results: ResultCache;
  readonly report: ReportFailure;
}

/** What an MCP endpoint offers, the same for every protocol revision and SDK. Created once. */
export interface McpHandlers {
  readonly info: {
    name: string;
    title: string;
    version: string;
    websiteUrl?: string;
    icons: ReturnType<typeof serviceIcons>;
  };
  readonly instructions: string;
  /** @returns a function that responds to a well-formed read without an SDK; undefined for other messages */
  readonly readCall: (
    message: unknown,
    caller: Caller,
    headers?: IncomingHttpHeaders,
  ) => ReadCall | undefined;
  /** @returns undefined for a message that is not a call that may wait */
  readonly waitingCall: (message: unknown) => WaitingCall | undefined;
  /** Like `readCall`, for a call that may wait until the signal is aborted. */
  readonly waitCall: (
    message: unknown,
    caller: Caller,
    signal: AbortSignal,
    headers?: IncomingHttpHeaders,
  ) => ReadCall | undefined;
  /**
   * Runs a call that may wait.
   * @param earlier merged with earlier results of the call; see `waitForResult`
   * @returns the members of its result
   */
  wait(
    call: WaitingCall,
    caller: Caller,
    signal: AbortSignal,
    earlier: Readonly<Record<string, unknown>>,
  ): Promise<MethodResult>;
  handles(method: string): boolean;
  /** @param signal without it no call waits @throws ProtocolError */
  handle(method: string, params: Params, caller: Caller, signal?: AbortSignal): Promise<MethodResult>;
  hasResource(uri: unknown): uri is string;
  /**
   * Finds the resource that changes whenever this one does: for a post it is the first post of its thread,
   * since both show the whole thread; any other resource is its own root.
   * @returns the URI of the root; undefined if the URI names a record that is not visible
   * @throws ProtocolError if the store cannot be read
   */
  findRootUri(uri: string): Promise<string | undefined>;
  /**
   * Calls the listener with the URIs of the resources that a change affects.
   * @returns a function that ends the watch
   */
  watchResources(listener: (uris: readonly string[]) => void): () => void;
}

export function createMcpHandlers({
  tools,
  toolset = 'all',
  workspace,
  results,
  report,
}: McpHandlersOptions): McpHandlers {
  const { service } = workspace;
  const { methods, lists, resources } = createMethods(tools, toolset, results, report);
  const info = {
    name: service.name,
    title: 'Porchlight',
    version: service.version,
    ...(service.baseUrl !== null && { websiteUrl: service.baseUrl }),
    icons: serviceIcons(service),
  };
  const readCall = createReadCalls({ tools, toolset, resources, results, lists, info, report });
  const waitingCall = createWaitingCallReader(toolsIn(toolset, tools));
  const toContext = (caller: Caller, signal?: AbortSignal): Context => ({
    workspace,
    caller: { ...caller, textBudget: TEXT_BUDGET },
    ...(signal && { signal }),
  });
  return {
    info,
    readCall: (message, caller, headers) =>
      waitingCall(message) === undefined ? readCall(message, toContext(caller), headers) : undefined,
    waitingCall,
    waitCall: (message, caller, signal, headers) => readCall(message, toContext(caller, signal), headers),
    wait: async ({ tool, args }, caller, signal, earlier) => {
      try {
        const context = { ...toContext(caller), signal };
        const { output, text } = await waitForResult(results, tool, args, context, earlier);
        return toToolResult(output, text, toolset);
      } catch (error) {
        return toToolFailure(toFailure(error, report));
      }
    },
    instructions: serverInstructions(service, toolset),
    handles: (method) => Object.hasOwn(methods, method),
    handle: async (method, params, caller, signal) => {
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (run === undefined) throw new ProtocolError(RPC.methodNotFound, 'There is no such method.');
      try {
        return await run(params, toContext(caller, signal));
      } catch (error) {
        throw error instanceof ProtocolError ? error : toResourceError(toFailure(error, report));
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
        throw toResourceError(toFailure(error, report));
      }
    },
    watchResources: (listener) =>
      workspace.watch((change) => {
        listener(resources.changedBy(change));
      }),
  };
}
