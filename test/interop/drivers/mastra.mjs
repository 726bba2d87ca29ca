import { MCPClient } from '@mastra/mcp';
import { drive } from './drive.mjs';

const PREFIX = 'porchlight_';

await drive(async ({ url, ...launch }) => {
  const client = new MCPClient({ servers: { porchlight: url ? { url: new URL(url) } : launch } });
  const tools = await client.listTools();
  return {
    list: async () => Object.keys(tools).map((name) => name.replace(PREFIX, '')),
    call: (name, args) => tools[PREFIX + name].execute(args, {}),
    close: () => client.disconnect(),
  };
});
