import type { IncomingMessage } from 'node:http';
import { LINK_PATH } from '#workspace/moderation/operator-links.ts';
import { TransportError } from '#http/responses/problem.ts';

export const MCP_PATH = '/mcp';

export const CORE_MCP_PATH = '/mcp/core';

/** Headers with one value that repeat a part of the message. */
export const MCP_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Whether a request target leads to an MCP endpoint: with or without a trailing slash, and with any query.
 */
export function isMcpPath(url: string): boolean {
  return /^\/mcp(?:\/core)?\/?(?:\?|$)/.test(url);
}

export interface AccessPolicy {
  /** Accepted Host headers; null accepts any. An entry without a port accepts any port. */
  readonly allowedHosts: readonly string[] | null;
  readonly allowedOrigins: readonly string[] | null;
  /**
   * Whether the service is on a loopback address. Then every path checks Host, not only MCP, and pages of
   * other origins may not read, nor measure how long a read takes.
   */
  readonly isLocal: boolean;
}

/**
 * Checks Host, Origin and Sec-Fetch-Site, so that pages of other sites cannot use a reader's browser as a
 * client. The Host check prevents DNS rebinding. Only browsers send Origin and Sec-Fetch-Site; requests
 * without them are accepted.
 * @returns a function that returns the error of a refused request
 */
export function createAccessCheck(
  accessPolicy: AccessPolicy,
): (request: IncomingMessage) => TransportError | undefined {
  const { allowedHosts, isLocal } = accessPolicy;
  // Caches the last accepted Host, because most requests have the same one and every request would parse it.
  let lastAccepted: string | undefined;
  const isAcceptedHost = (host: string): boolean => {
    if (host === lastAccepted) return true;
    // A URL normalizes each address to one spelling.
    const isAccepted =
      // SDK v2 builds a URL from the Host, and would fail with its own error text if it were invalid.
      HOST.test(host) &&
      URL.canParse(`http://${host}`) &&
      (allowedHosts === null || isListed(new URL(`http://${host}`).host, allowedHosts));
    if (isAccepted) lastAccepted = host;
    return isAccepted;
  };

  const isForeign = ({ headers }: IncomingMessage): boolean =>
    !isAllowedOrigin(accessPolicy, headers.origin) &&
    (headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site');

  return (request) => {
    const isMcp = isMcpPath(request.url ?? '');
    const { host } = request.headers;
    if ((isMcp || isLocal) && host !== undefined && !isAcceptedHost(host)) {
      return new TransportError(
        'forbidden_host',
        'This Host header is not allowed here; the operator can add it to BASE_URL or ALLOWED_HOSTS.',
      );
    }
    // The page of a link sends no referrer, so browsers send "Origin: null". Its address is its credential.
    const isWrite = request.method === 'POST' && request.url?.startsWith(LINK_PATH) !== true;
    if ((isMcp || isWrite || (isLocal && isEmbedded(request))) && isForeign(request)) {
      return new TransportError(
        'forbidden_origin',
        `Pages of this Origin may not ${isWrite ? 'write' : 'read'} here; the operator can add it to ALLOWED_ORIGINS.`,
      );
    }
    return undefined;
  };
}

/** Whether a browser sends a request for a page of another site, and not because its user opens a link. */
function isEmbedded({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate';
}

export function isAllowedOrigin({ allowedOrigins }: AccessPolicy, origin: string | undefined): boolean {
  return allowedOrigins === null || (origin !== undefined && isListed(origin.toLowerCase(), allowedOrigins));
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/** An entry without a port accepts any port. A final dot belongs to no name (RFC 3986, 3.2.2). */
function isListed(given: string, allowed: readonly string[]): boolean {
  const value = given.replace(/\.(:\d+)?$/, '$1');
  return allowed.includes(value) || allowed.includes(value.replace(/:\d+$/, ''));
}
