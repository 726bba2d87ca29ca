import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { drive } from './drive.mjs';

/** Version 1.0 has no such transport. */
async function connectHttp(url) {
  const { StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/sdk/client/streamableHttp.js'
  );
  return new StreamableHTTPClientTransport(new URL(url));
}

await drive(async ({ url, ...launch }) => {
  const client = new Client({ name: 'interop', version: '1.0.0' }, { capabilities: {} });
  await client.connect(url ? await connectHttp(url) : new StdioClientTransport(launch));
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, undefined, { onprogress, resetTimeoutOnProgress: true }),
    close: () => client.close(),
  };
});
