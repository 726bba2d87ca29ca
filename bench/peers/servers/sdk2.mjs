// The MCP SDK v2 as documented: one factory, ten tools, one of which returns the same result.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const { result } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'documented', version: '1.0.0' });
  const inputSchema = z.object({ limit: z.number().optional(), before: z.string().optional() });
  for (let n = 0; n < 10; n++) {
    server.registerTool(
      n === 0 ? 'read_feed' : `tool_${n}`,
      { description: 'Reads the feed.', inputSchema },
      async () => result,
    );
  }
  return server;
});
const handle = toNodeHandler(handler);
const server = createServer((request, response) => void handle(request, response));
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
