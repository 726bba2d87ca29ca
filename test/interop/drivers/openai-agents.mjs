import { MCPServerStdio, MCPServerStreamableHttp } from '@openai/agents';
import { drive } from './drive.mjs';

await drive(async (target) => {
  const server = target.url ? new MCPServerStreamableHttp(target) : new MCPServerStdio(target);
  await server.connect();
  return {
    list: async () => (await server.listTools()).map(({ name }) => name),
    call: (name, args) => server.callTool(name, args),
    close: () => server.close(),
  };
});
