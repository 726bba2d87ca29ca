import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InitializeResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Endpoint } from './service.ts';

/** A connected client of an SDK that lets any arguments through. */
export interface LenientClient {
  readonly call: (name: string, args: Record<string, unknown>, signal?: AbortSignal) => Promise<unknown>;
  /** Of revisions that have it. @returns the revision in the answer */
  readonly initialize?: () => Promise<string>;
  readonly close: () => Promise<void>;
}

const IDENTITY = { name: 'interop', version: '1.0.0' };
const REVISION_2025 = '2025-11-25';

async function connectV1({ target }: Endpoint): Promise<LenientClient> {
  const client = new ClientV1(IDENTITY);
  await client.connect(
    'url' in target
      ? new HttpV1(new URL(target.url))
      : new StdioV1({ command: target.command, args: [...target.args] }),
  );
  return {
    call: (name, args, signal) =>
      client.callTool({ name, arguments: args }, undefined, { ...(signal && { signal }) }),
    initialize: async () => {
      const params = { protocolVersion: REVISION_2025, capabilities: {}, clientInfo: IDENTITY };
      const request = { method: 'initialize' as const, params };
      return (await client.request(request, InitializeResultSchema)).protocolVersion;
    },
    close: () => client.close(),
  };
}

async function connectV2({ target }: Endpoint): Promise<LenientClient> {
  const client = new ClientV2(IDENTITY, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(
    'url' in target
      ? new HttpV2(new URL(target.url))
      : new StdioV2({ command: target.command, args: [...target.args] }),
  );
  return {
    call: (name, args, signal) => client.callTool({ name, arguments: args }, { ...(signal && { signal }) }),
    close: () => client.close(),
  };
}

/** One for each generation of the protocol. */
export const CONNECT: readonly ((endpoint: Endpoint) => Promise<LenientClient>)[] = [connectV1, connectV2];
