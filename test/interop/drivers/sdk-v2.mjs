import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive } from './drive.mjs';

await drive(async ({ url, ...launch }, mode) => {
  const negotiation = mode.startsWith('pin ') ? { pin: mode.slice(4) } : mode;
  const client = new Client(
    { name: 'interop', version: '1.0.0' },
    { versionNegotiation: { mode: negotiation } },
  );
  await client.connect(
    url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport(launch),
  );
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args, onprogress) =>
      client.callTool({ name, arguments: args }, { onprogress, resetTimeoutOnProgress: true }),
    close: () => client.close(),
  };
});
