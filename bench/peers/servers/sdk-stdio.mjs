// The MCP SDK v1 over stdio as documented: ten tools, one of which returns the same result.
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const { result } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const server = new McpServer({ name: 'documented', version: '1.0.0' });
const inputSchema = { limit: z.number().optional(), before: z.string().optional() };
for (let n = 0; n < 10; n++) {
  server.registerTool(
    n === 0 ? 'read_feed' : `tool_${n}`,
    { description: 'Reads the feed.', inputSchema },
    async () => result,
  );
}
await server.connect(new StdioServerTransport());
