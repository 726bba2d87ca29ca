import type { IncomingMessage } from 'node:http';
import { LINK_PATH } from '#workspace/moderation/operator-links.ts';
import { TransportError } from '#http/responses/problem.ts';

export const MCP_PATH = '/mcp';

export const CORE_MCP_PATH = '/mcp/core';

/** Headers that repeat a part of the message, and have one value. */
export const MCP_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

/** Whether a request target is an MCP endpoint, with or without a trailing slash, and with any query. */
export function isMcpPath(url: string): boolean {
  return /^\/mcp(?:\/core)?\/?(?:\?|$)/.test(url);
}

export interface AccessPolicy {
  /** The accepted Host headers; null accepts any. An entry without a port accepts any port. */
  readonly allowedHosts: readonly string[] | null;
  readonly allowedOrigins: readonly string[] | null;
  /**
   * Whether the service listens on a loopback address. Then Host is checked on every path, not only for MCP,
   * and pages from other origins can neither read nor measure how long a read takes.
   */
  readonly isLocal: boolean;
}

/**
 * Creates the check of Host, Origin and Sec-Fetch-Site, so that pages of other sites cannot use a reader's
 * browser as a client. The Host check prevents DNS rebinding. Only browsers send Origin and Sec-Fetch-Site.
 * @returns a function that returns the error of a refused request
 */
export function createAccessCheck(
  accessPolicy: AccessPolicy,
): (request: IncomingMessage) => TransportError | undefined {
  const { allowedHosts, isLocal } = accessPolicy;
  // The last accepted Host. Most requests have the same one, which need not be parsed again.
  let lastAccepted: string | undefined;
  const isAcceptedHost = (host: string): boolean => {
    if (host === lastAccepted) return true;
    // A URL has one spelling for each IP address.
    const isAccepted =
      // SDK v2 builds a URL from Host, and would send its own error text for an invalid one.
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
        'This Host header is not allowed here; the operator can allow it with ALLOWED_HOSTS or change BASE_URL.',
      );
    }
    // The page of a link has no referrer, so browsers send "Origin: null". Its URL is the credential.
    const isWrite = request.method === 'POST' && request.url?.startsWith(LINK_PATH) !== true;
    if ((isMcp || isWrite || (isLocal && isEmbedded(request))) && isForeign(request)) {
      return new TransportError(
        'forbidden_origin',
        `Pages from this origin may not ${isWrite ? 'write to' : 'read'} this service; the operator can ` +
          'add the origin to ALLOWED_ORIGINS.',
      );
    }
    return undefined;
  };
}

/** Whether a page of another site made the browser send a request, rather than a user who opened a link. */
function isEmbedded({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate';
}

export function isAllowedOrigin({ allowedOrigins }: AccessPolicy, origin: string | undefined): boolean {
  return allowedOrigins === null || (origin !== undefined && isListed(origin.toLowerCase(), allowedOrigins));
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/** An entry without a port accepts any port. A final dot is not part of a name (RFC 3986, 3.2.2). */
function isListed(given: string, allowed: readonly string[]): boolean {
  const value = given.replace(/\.(:\d+)?$/, '$1');
  return allowed.includes(value) || allowed.includes(value.replace(/:\d+$/, ''));
}
