export const MCP_PATH = '/mcp';

/** @param url the target of a request: the router lets a slash follow, and a query is ignored */
export function isMcpPath(url: string): boolean {
  return /^\/mcp\/?(?:\?|$)/.test(url);
}
