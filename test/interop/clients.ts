import type { InteropClient } from './client.ts';
import { hostClient } from './hosts/host-client.ts';
import { HOSTS } from './hosts/hosts.ts';
import { libraryClient } from './library-client.ts';
import { inspector } from './inspector.ts';
import { inspectorWeb } from './inspector-web.ts';
import { mcporter } from './mcporter.ts';

/** In the order in which they run. Those whose driver reads notices of progress wait for 240 seconds. */
export const CLIENTS: readonly InteropClient[] = [
  libraryClient({
    name: 'sdk-v1',
    packages: ['@modelcontextprotocol/sdk@latest'],
    driver: 'sdk-v1.mjs',
    waitSeconds: 240,
  }),
  ...['1.20', '1.10'].map((version) =>
    libraryClient({
      name: `sdk-${version}`,
      packages: [`@modelcontextprotocol/sdk@${version}`],
      driver: 'sdk-v1.mjs',
      waitSeconds: 240,
    }),
  ),
  libraryClient({
    name: 'sdk-1.0',
    packages: ['@modelcontextprotocol/sdk@1.0'],
    driver: 'sdk-v1.mjs',
    transports: ['stdio'],
  }),
  libraryClient({
    name: 'sse-bridge',
    packages: [
      '@modelcontextprotocol/sdk@1.0',
      'eventsource@latest',
      'mcp-proxy@latest',
      'supergateway@latest',
    ],
    driver: 'sse-bridge.mjs',
    transports: ['stdio'],
    modes: ['SSE by mcp-proxy', 'SSE by supergateway'],
  }),
  libraryClient({
    name: 'sdk-v2',
    packages: ['@modelcontextprotocol/client@latest'],
    driver: 'sdk-v2.mjs',
    modes: ['legacy', 'auto', 'pin 2026-07-28'],
    waitSeconds: 240,
  }),
  inspector,
  inspectorWeb,
  mcporter,
  libraryClient({
    name: 'mcp-remote',
    packages: ['mcp-remote@latest', '@modelcontextprotocol/sdk@latest'],
    driver: 'mcp-remote.mjs',
    transports: ['HTTP'],
    waitSeconds: 240,
  }),
  libraryClient({ name: 'ai-sdk-v1', packages: ['@ai-sdk/mcp@1', 'zod@4'], driver: 'ai-sdk.mjs' }),
  libraryClient({ name: 'ai-sdk-v2', packages: ['@ai-sdk/mcp@2', 'zod@4'], driver: 'ai-sdk.mjs' }),
  libraryClient({
    name: 'openai-agents',
    packages: ['@openai/agents@latest', 'zod@4'],
    driver: 'openai-agents.mjs',
  }),
  libraryClient({
    name: 'langchain',
    packages: ['@langchain/mcp-adapters@latest', '@langchain/core@latest', '@langchain/langgraph@latest'],
    driver: 'langchain.mjs',
  }),
  libraryClient({ name: 'mastra', packages: ['@mastra/mcp@latest'], driver: 'mastra.mjs' }),
  ...HOSTS.map(hostClient),
];
