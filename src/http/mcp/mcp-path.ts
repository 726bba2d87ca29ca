export const MCP_PATH = '/mcp';

/**
 * Whether the router sends a request target to /mcp: with or without a trailing slash, and with any query.
 */
export function isMcpPath(url: string): boolean {
  return /^\/mcp\/?(?:\?|$)/.test(url);
}
