import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
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
    answerInOurWords(transport);
    return mcp;
  };
}

/** What the SDK would refuse by itself, with the words of its validator, is refused or mended before it gets there. */
function answerInOurWords(transport: Transport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if (!('method' in message && 'id' in message)) {
      onmessage?.(message, extra);
    } else if (message.method === 'initialize' && !InitializeRequestSchema.safeParse(message).success) {
      const error = { code: RPC.invalidParams, message: 'params must be those of initialize: protocolVersion, capabilities, clientInfo.' };
      void transport.send({ jsonrpc: '2.0', id: message.id, error });
    } else {
      // Tasks are not served; a request that asks for one is answered as any other.
      const { task: _, ...params } = message.params ?? {};
      onmessage?.({ ...message, ...(message.params !== undefined && { params }) }, extra);
    }
  };
}
