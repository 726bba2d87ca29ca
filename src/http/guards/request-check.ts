import type { IncomingMessage } from 'node:http';
import { expectedBytes, MAX_BODY_BYTES } from './body.ts';
import { isMcpPath } from './mcp-path.ts';
import { tooLargeError, TransportError } from '#http/responses/problem.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';

const MAX_URL_CHARACTERS = 8000;
const STOPPING_RETRY_SECONDS = 5;

export interface AccessPolicy {
  /** Accepted Host headers; null accepts any. An entry without a port accepts any port. */
  readonly allowedHosts: readonly string[] | null;
  readonly allowedOrigins: readonly string[] | null;
  /** On a loopback address every path checks Host, not only MCP, and pages of other origins may not read. */
  readonly isLocal: boolean;
}

/**
 * Creates the check that runs before a request is routed and its body is read. It returns the error of a
 * refused request.
 * @param stopping whether the service is shutting down and refuses requests
 */
export function createRequestCheck(
  accessPolicy: AccessPolicy,
  stopping: () => boolean,
): (request: IncomingMessage) => TransportError | WorkspaceError | undefined {
  const checkAccess = createAccessCheck(accessPolicy);
  return (request) => {
    const { url = '', rawHeaders, httpVersion } = request;
    if (stopping()) {
      return new TransportError('shutting_down', 'The service is shutting down; try again in a moment.', {
        'Retry-After': String(STOPPING_RETRY_SECONDS),
        Connection: 'close',
      });
    }
    if (url.length > MAX_URL_CHARACTERS) {
      return new TransportError(
        'uri_too_long',
        `The address is longer than ${MAX_URL_CHARACTERS} characters; shorten it.`,
      );
    }
    if (holdsKey(url)) return keyInAddressError();
    if (expectedBytes(request) > MAX_BODY_BYTES) return tooLargeError(MAX_BODY_BYTES);
    const hosts = countHosts(rawHeaders);
    if (hosts === 0 && httpVersion === '1.1') {
      return new TransportError('malformed_request', 'This HTTP/1.1 request has no Host header; send one.');
    }
    if (hosts > 1) {
      return new TransportError('malformed_request', 'This request has several Host headers; send one.');
    }
    return checkAccess(request);
  };
}

/** Whether a query holds an author key: addresses stand in histories, links and logs of proxies. */
function holdsKey(url: string): boolean {
  const start = url.indexOf('?');
  if (start < 0) return false;
  const query = url.slice(start).replaceAll('+', ' ');
  if (!query.includes('%')) return holdsAuthorKey(query);
  try {
    return holdsAuthorKey(decodeURIComponent(query));
  } catch {
    return holdsAuthorKey(query);
  }
}

function keyInAddressError(): WorkspaceError {
  return new WorkspaceError(
    'looks_like_secret',
    'The address holds what looks like an author key. Send authorKey in the body of post_message only. The ' +
      'key stands in logs of proxies now: take another key and another name.',
  );
}

/**
 * Counts Host headers, since `headers` has only the first one (RFC 9112 section 3.2).
 * @param rawHeaders names and values in turn
 */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    // Every request runs this, so the usual spellings are compared without a lower-case copy.
    if (name?.length === 4 && (name === 'Host' || name === 'host' || name.toLowerCase() === 'host'))
      count += 1;
  }
  return count;
}

type Check = (request: IncomingMessage) => TransportError | undefined;

/**
 * Checks Host, Origin and Sec-Fetch-Site, so that pages of other sites cannot use a reader's browser as a
 * client. The Host check prevents DNS rebinding. Only browsers send Origin and Sec-Fetch-Site; requests
 * without them are accepted.
 * @returns a function that returns the error of a refused request
 */
function createAccessCheck({ allowedHosts, allowedOrigins, isLocal }: AccessPolicy): Check {
  // Caches the last accepted Host, because most requests have the same one and every request would parse it.
  let lastAccepted: string | undefined;
  const isAcceptedHost = (host: string): boolean => {
    if (host === lastAccepted) return true;
    const isAccepted = isHost(host) && (allowedHosts === null || isListed(host.toLowerCase(), allowedHosts));
    if (isAccepted) lastAccepted = host;
    return isAccepted;
  };

  const isForeign = ({ headers }: IncomingMessage): boolean => {
    if (allowedOrigins === null) return false;
    const { origin } = headers;
    if (origin !== undefined) return !isListed(origin.toLowerCase(), allowedOrigins);
    return headers['sec-fetch-site'] === 'cross-site';
  };

  return (request) => {
    const isMcp = isMcpPath(request.url ?? '');
    const { host } = request.headers;
    if ((isMcp || isLocal) && host !== undefined && !isAcceptedHost(host)) {
      return new TransportError(
        'forbidden_host',
        'This Host header is not allowed here; the operator can add it to BASE_URL or ALLOWED_HOSTS.',
      );
    }
    if ((isMcp || request.method === 'POST') && isForeign(request)) {
      return new TransportError(
        'forbidden_origin',
        'Pages of this Origin may not write here; the operator can add it to ALLOWED_ORIGINS.',
      );
    }
    return undefined;
  };
}

export function isAllowedOrigin({ allowedOrigins }: AccessPolicy, origin: string | undefined): boolean {
  return allowedOrigins === null || (origin !== undefined && isListed(origin.toLowerCase(), allowedOrigins));
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/** SDK v2 builds a URL from the Host, and would fail with its own error text if it were invalid. */
function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`);
}

/** An entry without a port accepts any port. */
function isListed(value: string, allowed: readonly string[]): boolean {
  return allowed.includes(value) || allowed.includes(value.replace(/:\d+$/, ''));
}
