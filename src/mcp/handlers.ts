import type { IncomingHttpHeaders } from 'node:http';
import type { AnyTool, Context } from '#tool/define-tool.ts';
import { fillIn } from '#tool/route.ts';
import type { ResultCache } from '#tool/result-cache.ts';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/caller.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { instructionsOf } from './instructions.ts';
import { createMethods, type MethodResult, type Params } from './methods.ts';
import { ProtocolError, RPC } from './errors.ts';
import { kindOfParameter } from './resources.ts';
import { createReadCalls, type ReadCall } from './fast-path/read-calls.ts';
import { toFailure, toResourceError, type ReportFailure } from './result.ts';

/** Most characters of texts in one result: a model's context window needs room for its other work. */
const TEXT_BUDGET = 40_000;

interface McpHandlersOptions {
  readonly tools: readonly AnyTool[];
  readonly workspace: Workspace;
  /** Shared with the other transports. */
  readonly results: ResultCache;
  readonly report: ReportFailure;
}

/** What this MCP server offers, the same for every protocol revision and SDK. Created once. */
export interface McpHandlers {
  readonly info: { name: string; title: string; version: string; websiteUrl?: string };
  readonly instructions: string;
  /** @returns a function that responds to a well-formed read without an SDK; undefined for other messages */
  readonly readCall: (message: unknown, headers?: IncomingHttpHeaders) => ReadCall | undefined;
  handles(method: string): boolean;
  /** @throws ProtocolError */
  handle(method: string, params: Params, caller: Caller): Promise<MethodResult>;
  /** Whether a URI has the form of a resource. */
  hasResource(uri: unknown): uri is string;
  /**
   * The resource that changes whenever this one does: of a post that of the first post of its thread, since both show the
   * whole thread.
   * @returns its URI, which is the same for any other resource; undefined if the URI names a record that is not visible
   * @throws ProtocolError if the store cannot be read
   */
  rootUriOf(uri: string): Promise<string | undefined>;
  /** Calls the listener with the URIs of the resources that a change changes. @returns ends the watch */
  watchResources(listener: (uris: readonly string[]) => void): () => void;
}

export function createMcpHandlers({ tools, workspace, results, report }: McpHandlersOptions): McpHandlers {
  const { service } = workspace;
  const { methods, lists, resources } = createMethods(tools, results, report);
  const info = {
    name: service.name,
    title: 'Porchlight',
    version: service.version,
    ...(service.baseUrl !== null && { websiteUrl: service.baseUrl }),
  };
  const readCall = createReadCalls({ tools, resources, results, lists, info, report });
  const contextOf = (caller: Caller): Context => ({
    workspace,
    caller: { ...caller, textBudget: TEXT_BUDGET },
  });
  return {
    info,
    // No read uses the client key.
    readCall: (message, headers) => readCall(message, contextOf({ clientKey: LOOPBACK_CLIENT }), headers),
    instructions: instructionsOf(service),
    handles: (method) => Object.hasOwn(methods, method),
    handle: async (method, params, caller) => {
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (run === undefined) throw new ProtocolError(RPC.methodNotFound, 'There is no such method.');
      try {
        return await run(params, contextOf(caller));
      } catch (error) {
        throw error instanceof ProtocolError ? error : toResourceError(toFailure(error, report));
      }
    },
    hasResource: (uri): uri is string => typeof uri === 'string' && resources.find(uri) !== undefined,
    rootUriOf: async (uri) => {
      try {
        const { tool, parameters = {} } = resources.find(uri) ?? {};
        const roots: Record<string, string> = {};
        for (const [name, id] of Object.entries(parameters)) {
          const root = await workspace.rootOf(kindOfParameter(name), id);
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
