import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { drive } from './drive.mjs';

await drive(async ({ url, ...launch }) => {
  const porchlight = url ? { transport: 'http', url } : { transport: 'stdio', ...launch };
  const client = new MultiServerMCPClient({ mcpServers: { porchlight } });
  await client.initializeConnections();
  let tools = [];
  return {
    list: async () => {
      tools = await client.getTools();
      return tools.map(({ name }) => name);
    },
    call: (wanted, args) => tools.find(({ name }) => name === wanted).invoke(args),
    close: () => client.close(),
  };
});
