// A client that knows stdio and HTTP with SSE of 2024-11-05 only, and a bridge from that to a stdio server.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { EventSource } from 'eventsource';
import { drive } from './drive.mjs';

// The transport expects that of browsers.
globalThis.EventSource = EventSource;

const ATTEMPTS = 100;

const ARGUMENTS = {
  'mcp-proxy': (port, command) => [
    '--server',
    'sse',
    '--host',
    '127.0.0.1',
    '--port',
    port,
    '--',
    ...command,
  ],
  supergateway: (port, command) => ['--stdio', command.join(' '), '--port', port],
};

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });

/** The bridge listens after a while, and a failed transport cannot start again. */
async function connect(url, attempts) {
  const client = new Client({ name: 'interop', version: '1.0.0' }, { capabilities: {} });
  try {
    await client.connect(new SSEClientTransport(url));
    return client;
  } catch (error) {
    if (attempts === 0) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return connect(url, attempts - 1);
  }
}

await drive(async ({ command, args }, mode) => {
  const name = mode.replace('SSE by ', '');
  const port = await freePort();
  const bin = join(import.meta.dirname, 'node_modules/.bin', name);
  spawn(bin, ARGUMENTS[name](port, [command, ...args]), { stdio: ['ignore', 'ignore', 'inherit'] });
  const client = await connect(new URL(`http://127.0.0.1:${port}/sse`), ATTEMPTS);
  return {
    list: async () => (await client.listTools()).tools.map(({ name: tool }) => tool),
    call: (tool, args) => client.callTool({ name: tool, arguments: args }),
    close: () => client.close(),
  };
});
