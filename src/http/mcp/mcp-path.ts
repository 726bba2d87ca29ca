export const MCP_PATH = '/mcp';

/** Accepts what the router accepts: a trailing slash, and any query. @param url target of a request */
export function isMcpPath(url: string): boolean {
  return /^\/mcp\/?(?:\?|$)/.test(url);
}
