import type { IncomingMessage } from 'node:http';
import type { HttpAppOptions } from '#http/options/app-options.ts';
import { TransportError } from '#http/responses/problem.ts';
import { createAccessCheck } from './access.ts';

const MAX_URL_CHARACTERS = 8000;
const STOPPING_RETRY_SECONDS = 5;

/**
 * Creates the check that runs before a request is routed and its body is read. It returns the error of a
 * refused request.
 */
export function createRequestCheck({
  stopping,
  accessPolicy,
}: Pick<HttpAppOptions, 'stopping' | 'accessPolicy'>): (
  request: IncomingMessage,
) => TransportError | undefined {
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
    const hosts = countHosts(rawHeaders);
    if (hosts === 0 && httpVersion === '1.1') {
      return new TransportError('malformed_json', 'This HTTP/1.1 request has no Host header; send one.');
    }
    if (hosts > 1) {
      return new TransportError('malformed_json', 'This request has several Host headers; send one.');
    }
    return checkAccess(request);
  };
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
