import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { AnyTool, Context } from '#tool/define.ts';
import type { Caller } from '#workspace/caller.ts';
import type { Workspace } from '#workspace/workspace.ts';
import { instructionsOf } from './instructions.ts';
import { methodsOf, type Report } from './methods.ts';
import { ProtocolError, RPC } from './protocol-error.ts';

export interface McpOptions {
  readonly tools: readonly AnyTool[];
  readonly workspace: Workspace;
  readonly report: Report;
}

/** Connects one transport to the service, on behalf of one caller. */
export type Connect = (transport: Transport, caller: Caller) => Promise<McpServer>;

/** What fits a model's window together with the rest of its work. */
const TEXT_BUDGET = 40_000;

/**
 * The SDK v1 leg, for the protocol revisions up to 2025-11-25. It stands on the protocol layer, below the SDK's own
 * handling of tools, so that every failure is worded once, by us, and the lists are made once.
 */
export function serverOf({ tools, workspace, report }: McpOptions): Connect {
  const { service } = workspace;
  const methods = methodsOf(tools, report);
  const info = { name: service.name, title: 'Porchlight', version: service.version, websiteUrl: service.baseUrl };
  const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };
  const options = {
    instructions: instructionsOf(service),
    // Making one costs more than answering a call.
    jsonSchemaValidator: new AjvJsonSchemaValidator(),
  };
  return async (transport, caller) => {
    const mcp = new McpServer(info, options);
    // Told to the constructor, they would bring the SDK's own handlers.
    mcp.server.registerCapabilities(capabilities);
    const context: Context = { workspace, caller: { ...caller, textBudget: TEXT_BUDGET } };
    mcp.server.fallbackRequestHandler = async ({ method, params = {} }) => {
      const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
      if (answer === undefined) throw new ProtocolError(RPC.methodNotFound, 'There is no such method.');
      return answer(params, context);
    };
    await mcp.connect(transport);
    return mcp;
  };
}
