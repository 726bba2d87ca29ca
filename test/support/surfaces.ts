import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  Client as Client2026,
  StreamableHTTPClientTransport as HttpTransport2026,
  type Transport as Transport2026,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioTransport2026 } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { connectSdkV1 } from '#mcp/sdk/v1.ts';
import { callTool } from '#tool/call-tool.ts';
import { fillIn, parseRoute } from '#tool/route.ts';
import { LOOPBACK_CLIENT } from '#workspace/service/caller.ts';
import { WorkspaceError, type Failure } from '#workspace/service/errors.ts';
import { startApp } from './http/app.ts';
import { handlersOf } from './mcp/handlers.ts';
import { openTestWorkspace, type TestWorkspaceOptions } from './context.ts';
import { IS_THOROUGH } from './thorough.ts';

type Args = Readonly<Record<string, unknown>>;

/** The outcome of a call, whichever surface it took. */
export type Answer = { output: unknown } | { failure: Failure };

export interface Surface {
  call: (tool: string, args: Args) => Promise<Answer>;
  close: () => Promise<void>;
}

type Surfaces = Readonly<Record<string, (options: TestWorkspaceOptions) => Promise<Surface>>>;

/** Every surface; each opens a store of its own. */
export const ALL_SURFACES = {
  'direct call': async (options) => {
    const { tools, workspace, store } = await openTestWorkspace(options);
    return {
      call: async (name, args) => {
        try {
          const tool = tools.find((one) => one.name === name)!;
          return {
            output: await callTool(tool, args, { workspace, caller: { clientKey: LOOPBACK_CLIENT } }),
          };
        } catch (error) {
          if (error instanceof WorkspaceError) return { failure: error.failure };
          throw error;
        }
      },
      close: () => store.close(),
    };
  },

  'MCP in memory': async (options) => {
    const { tools, workspace, store } = await openTestWorkspace(options);
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await connectSdkV1(handlersOf({ tools, workspace }))(theirs, { clientKey: LOOPBACK_CLIENT });
    return mcpSurface(ours, () => store.close());
  },

  'MCP over HTTP': async (options) => {
    const world = await openTestWorkspace(options);
    const app = await startApp(world);
    return mcpSurface(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`)), async () => {
      await app.close();
      await world.store.close();
    });
  },

  'MCP over stdio, started from another folder': async (options) =>
    mcpSurface(new StdioClientTransport(launching(options)), async () => undefined),

  'MCP of 2026 over HTTP': async (options) => {
    const world = await openTestWorkspace(options);
    const app = await startApp(world);
    return mcpDoor2026(new HttpTransport2026(new URL(`${app.url}/mcp`)), async () => {
      await app.close();
      await world.store.close();
    });
  },

  'MCP of 2026 over stdio': async (options) =>
    mcpDoor2026(new StdioTransport2026(launching(options)), async () => undefined),

  REST: async (options) => {
    const world = await openTestWorkspace(options);
    const app = await startApp(world);
    return {
      call: async (name, args) => {
        const tool = world.tools.find((one) => one.name === name)!;
        return restCall(app.url, parseRoute(tool), args);
      },
      close: async () => {
        await app.close();
        await world.store.close();
      },
    };
  },
} satisfies Surfaces;

/** Those that a file runs on: `npm test` runs the parity of all. */
export const SURFACES: Surfaces = IS_THOROUGH
  ? ALL_SURFACES
  : { 'MCP in memory': ALL_SURFACES['MCP in memory'], REST: ALL_SURFACES.REST };

function launching(options: TestWorkspaceOptions) {
  const launcher = fileURLToPath(new URL('mcp/stdio-launcher.ts', import.meta.url));
  const args = ['--import', import.meta.resolve('tsx'), launcher, JSON.stringify(options)];
  return { command: process.execPath, args, cwd: tmpdir() };
}

async function mcpSurface(transport: Transport, close: () => Promise<void>): Promise<Surface> {
  const client = new Client({ name: 'a test', version: '1.0.0' });
  await client.connect(transport);
  return toSurface(client, close);
}

/** By the SDK's successor, which speaks the revision that has no handshake. */
async function mcpDoor2026(transport: Transport2026, close: () => Promise<void>): Promise<Surface> {
  const client = new Client2026(
    { name: 'a test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(transport);
  return toSurface(client, close);
}

interface ToolCaller {
  listTools: () => Promise<unknown>;
  callTool: (params: {
    name: string;
    arguments: Record<string, unknown>;
  }) => Promise<Record<string, unknown>>;
  close: () => Promise<void>;
}

async function toSurface(client: ToolCaller, close: () => Promise<void>): Promise<Surface> {
  await client.listTools();
  return {
    call: async (name, args) => {
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: { ...args } });
      const [block, ...more] = content as { type: string; text: string }[];
      if (block?.type !== 'text' || more.length > 0) throw new Error('an answer is one text block');
      const text = JSON.parse(block.text) as unknown;
      if (isError === true) return { failure: text as Failure };
      if (JSON.stringify(text) !== JSON.stringify(structuredContent))
        throw new Error('text and structure differ');
      return { output: structuredContent };
    },
    close: async () => {
      await client.close();
      await close();
    },
  };
}

async function restCall(
  url: string,
  { method, path, parameters }: ReturnType<typeof parseRoute>,
  args: Args,
): Promise<Answer> {
  const { idempotencyKey, ...others } = args;
  // No address has a key.
  const { authorKey, ...query } = others;
  const rest = method === 'GET' ? query : others;
  const address = new URL(url + fillIn(path, (name) => encodeURIComponent(String(args[name]))));
  const fields = Object.entries(rest).filter(([name]) => !parameters.includes(name));
  if (method === 'GET') for (const [name, value] of fields) address.searchParams.set(name, String(value));
  const response = await fetch(
    address,
    method === 'GET'
      ? { headers: typeof authorKey === 'string' ? { Authorization: `Bearer ${authorKey}` } : {} }
      : {
          method,
          headers: {
            'Content-Type': 'application/json',
            ...(typeof idempotencyKey === 'string' && { 'Idempotency-Key': idempotencyKey }),
          },
          body: JSON.stringify(Object.fromEntries(fields)),
        },
  );
  const body = (await response.json()) as Record<string, unknown>;
  if (response.ok) return { output: body };
  const { type: _, title: __, status: ___, ...failure } = body;
  return { failure: failure as unknown as Failure };
}
