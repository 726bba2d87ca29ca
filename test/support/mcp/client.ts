import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { handlersOf } from './handlers.ts';
import { connectSdkV1 } from '#mcp/sdk/v1.ts';
import type { AnyTool } from '#tool/define-tool.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import type { Workspace } from '#workspace/workspace.ts';

/** Connects a client of SDK v1 to a server in memory. */
export async function connect(tools: readonly AnyTool[], workspace: Workspace): Promise<Client> {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await connectSdkV1(handlersOf({ tools, workspace }))(serverSide, { clientKey: LOOPBACK_CLIENT });
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(clientSide);
  return client;
}
