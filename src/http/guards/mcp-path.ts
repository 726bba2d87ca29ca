export const MCP_PATH = '/mcp';

export const CORE_MCP_PATH = '/mcp/core';

/**
 * Whether a request target leads to an MCP endpoint: with or without a trailing slash, and with any query.
 */
export function isMcpPath(url: string): boolean {
  return /^\/mcp(?:\/core)?\/?(?:\?|$)/.test(url);
}
