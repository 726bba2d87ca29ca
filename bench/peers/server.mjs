// What Porchlight is compared with: `node server.mjs MODE FILE`. The file has the response as JSON. Each mode
// imports only what it needs, because the start of `raw` and `lines` is measured too.
import { readFileSync } from 'node:fs';

const [mode, file] = process.argv.slice(2);
const { headers, body, result } = JSON.parse(readFileSync(file, 'utf8'));
const bytes = Buffer.from(body);

const MODES = {
  /** The upper limit of HTTP: one response for every request. */
  async raw() {
    const { createServer } = await import('node:http');
    const head = { ...headers, 'Content-Length': bytes.length };
    const send = (response) => response.writeHead(200, head).end(bytes);
    const onRequest = (request, response) =>
      request.method === 'GET' ? send(response) : request.resume().on('end', () => send(response));
    listen(createServer(onRequest));
  },

  /** The upper limit of stdio: one line for every line. */
  async lines() {
    process.stdin.on('data', (chunk) => {
      for (const byte of chunk) if (byte === 10) process.stdout.write(bytes);
    });
  },

  /** An Express that parses the body of a post and stores nothing. */
  async express() {
    const { default: express } = await import('express');
    const app = express();
    app.post('/api/feed', express.json(), (request, response) =>
      response.status(201).json({ id: 'post_0', message: request.body.message }),
    );
    const server = app.listen(0, '127.0.0.1', () => printAddress(server));
  },

  /** The MCP SDK v1 as documented for stateless servers: a server and a transport for each request. */
  async sdk2025() {
    const { createServer } = await import('node:http');
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
    const { StreamableHTTPServerTransport } =
      await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const { z } = await import('zod');
    const inputSchema = { limit: z.number().optional(), before: z.string().optional() };
    const onRequest = async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const mcp = registerTools(new McpServer({ name: 'documented', version: '1.0.0' }), inputSchema);
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
    };
    listen(createServer(onRequest));
  },

  /** The MCP SDK v2 as documented: one factory. */
  async sdk2026() {
    const { createServer } = await import('node:http');
    const { toNodeHandler } = await import('@modelcontextprotocol/node');
    const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
    const { z } = await import('zod');
    const handle = toNodeHandler(
      createMcpHandler(() => {
        const inputSchema = z.object({ limit: z.number().optional(), before: z.string().optional() });
        return registerTools(new McpServer({ name: 'documented', version: '1.0.0' }), inputSchema);
      }),
    );
    listen(createServer((request, response) => void handle(request, response)));
  },
};

/** Ten tools, one of which returns the result that is measured. */
function registerTools(server, inputSchema) {
  for (let n = 0; n < 10; n++) {
    const name = n === 0 ? 'read_feed' : `tool_${n}`;
    server.registerTool(name, { description: 'Reads the feed.', inputSchema }, async () => result);
  }
  return server;
}

function listen(server) {
  server.listen(0, '127.0.0.1', () => printAddress(server));
}

function printAddress(server) {
  console.log(`http://127.0.0.1:${server.address().port}`);
}

await MODES[mode]();
