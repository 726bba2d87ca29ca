import { claudeCode, geminiCli } from './agents.ts';
import type { InteropClient } from './client.ts';
import { driven } from './library-client.ts';
import { inspector } from './inspector.ts';

/** In the order in which they are tried. */
export const CLIENTS: readonly InteropClient[] = [
  driven({ name: 'sdk-v1', packages: ['@modelcontextprotocol/sdk@latest'], driver: 'sdk-v1.mjs' }),
  driven({
    name: 'sdk-v2',
    packages: ['@modelcontextprotocol/client@latest'],
    driver: 'sdk-v2.mjs',
    modes: ['legacy', 'auto', 'pin 2026-07-28'],
  }),
  inspector,
  driven({
    name: 'mcp-remote',
    packages: ['mcp-remote@latest', '@modelcontextprotocol/sdk@latest'],
    driver: 'mcp-remote.mjs',
    transports: ['HTTP'],
  }),
  driven({ name: 'ai-sdk-v1', packages: ['@ai-sdk/mcp@1', 'zod@4'], driver: 'ai-sdk.mjs' }),
  driven({ name: 'ai-sdk-v2', packages: ['@ai-sdk/mcp@2', 'zod@4'], driver: 'ai-sdk.mjs' }),
  driven({
    name: 'openai-agents',
    packages: ['@openai/agents@latest', 'zod@4'],
    driver: 'openai-agents.mjs',
  }),
  driven({
    name: 'langchain',
    packages: ['@langchain/mcp-adapters@latest', '@langchain/core@latest', '@langchain/langgraph@latest'],
    driver: 'langchain.mjs',
  }),
  claudeCode,
  geminiCli,
];
