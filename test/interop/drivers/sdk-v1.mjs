import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { drive } from './drive.mjs';

await drive(async ({ url, ...launch }) => {
  const client = new Client({ name: 'interop', version: '1.0.0' });
  await client.connect(
    url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(launch),
  );
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress, resetTimeoutOnProgress: true }),
    close: () => client.close(),
  };
});
