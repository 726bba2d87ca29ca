import * as sdk from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { drive } from './drive.mjs';

const createClient = sdk.createMCPClient ?? sdk.experimental_createMCPClient;

await drive(async ({ url, ...launch }) => {
  const client = await createClient({
    transport: url ? { type: 'http', url } : new Experimental_StdioMCPTransport(launch),
  });
  let tools = {};
  return {
    list: async () => {
      tools = await client.tools();
      return Object.keys(tools);
    },
    call: (name, args) => tools[name].execute(args, { toolCallId: '1', messages: [] }),
    close: () => client.close(),
  };
});
