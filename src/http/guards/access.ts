import type { IncomingMessage } from 'node:http';
import type { AccessPolicy } from '#http/app-options.ts';
import { isMcpPath } from '#http/mcp/mcp-path.ts';
import { TransportError } from '#http/problem.ts';

type Check = (request: IncomingMessage) => TransportError | undefined;

/**
 * Keeps web pages of other sites from using a visitor's browser as a client. Only browsers send Origin and
 * Sec-Fetch-Site, and other clients are never judged by them; the Host check stops DNS rebinding.
 */
export function createAccessCheck({ allowedHosts, allowedOrigins, guardsEveryPath }: AccessPolicy): Check {
  // Most requests name the same Host; parsing it would cost every read.
  let lastServed: string | undefined;
  const isServedHost = (host: string): boolean => {
    if (host === lastServed) return true;
    const isServed = isHost(host) && (allowedHosts === null || isListed(host.toLowerCase(), allowedHosts));
    if (isServed) lastServed = host;
    return isServed;
  };

  const isForeign = ({ headers: { origin, ...headers } }: IncomingMessage): boolean => {
    if (allowedOrigins === null) return false;
    if (origin !== undefined) return !isListed(origin.toLowerCase(), allowedOrigins);
    return headers['sec-fetch-site'] === 'cross-site';
  };

  return (request) => {
    const isMcp = isMcpPath(request.url ?? '');
    const { host } = request.headers;
    if ((isMcp || guardsEveryPath) && host !== undefined && !isServedHost(host)) {
      return new TransportError(
        'forbidden_host',
        'This Host header is not served here; the operator can name it in BASE_URL or ALLOWED_HOSTS.',
      );
    }
    if ((isMcp || request.method === 'POST') && isForeign(request)) {
      return new TransportError(
        'forbidden_origin',
        'Pages of this Origin may not write here; the operator can name it in ALLOWED_ORIGINS.',
      );
    }
    return undefined;
  };
}

/** @returns whether pages of the request's origin may write */
export function isAllowedOrigin({ allowedOrigins }: AccessPolicy, origin: string | undefined): boolean {
  return allowedOrigins === null || (origin !== undefined && isListed(origin.toLowerCase(), allowedOrigins));
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/** The SDK makes an address of it, and would word the failure itself. */
function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`);
}

/** An entry without a port stands for any port. */
function isListed(given: string, allowed: readonly string[]): boolean {
  return allowed.includes(given) || allowed.includes(given.replace(/:\d+$/, ''));
}
