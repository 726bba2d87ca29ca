import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { drive } from './drive.mjs';

const manifest = join(import.meta.dirname, 'node_modules/mcp-remote/package.json');
const bridge = join(dirname(manifest), createRequire(import.meta.url)(manifest).bin['mcp-remote']);

await drive(async ({ url }) => {
  const client = new Client({ name: 'interop', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [bridge, url, '--allow-http'] }),
  );
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress, resetTimeoutOnProgress: true }),
    close: () => client.close(),
  };
});
