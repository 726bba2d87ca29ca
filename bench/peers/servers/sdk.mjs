// The MCP SDK v1 as documented for stateless servers: a server and a transport per request, one tool with the
// same result.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const { result } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

function makeServer() {
  const server = new McpServer({ name: 'documented', version: '1.0.0' });
  const inputSchema = { limit: z.number().optional(), before: z.string().optional() };
  for (let n = 0; n < 10; n++) {
    server.registerTool(
      n === 0 ? 'read_feed' : `tool_${n}`,
      { description: 'Reads the feed.', inputSchema },
      async () => result,
    );
  }
  return server;
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const mcp = makeServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on('close', () => {
    transport.close();
    mcp.close();
  });
  await mcp.connect(transport);
  await transport.handleRequest(request, response, JSON.parse(Buffer.concat(chunks).toString()));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
