import type { McpEndpoint } from '#http/options/app-options.ts';

export const MCP_PATH = '/mcp';

export const CORE_MCP_PATH = '/mcp/core';

export function listMcpEndpoints({
  mcp,
  coreMcp,
}: Readonly<Record<'mcp' | 'coreMcp', McpEndpoint>>): (readonly [path: string, endpoint: McpEndpoint])[] {
  return [
    [MCP_PATH, mcp],
    [CORE_MCP_PATH, coreMcp],
  ];
}

/**
 * Whether the router sends a request target to an MCP endpoint: with or without a trailing slash, and
 * with any query.
 */
export function isMcpPath(url: string): boolean {
  return /^\/mcp(?:\/core)?\/?(?:\?|$)/.test(url);
}
