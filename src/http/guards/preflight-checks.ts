import type { IncomingMessage } from 'node:http';
import type { HttpAppOptions } from '#http/app-options.ts';
import { TransportError } from '#http/problem.ts';
import { createAccessCheck } from './access.ts';

const MAX_URL_CHARACTERS = 8000;
const STOPPING_RETRY_SECONDS = 5;

/** @returns what a request is refused for before anything reads its path or body */
export function createPreflightChecks({
  stopping,
  accessPolicy,
}: Pick<HttpAppOptions, 'stopping' | 'accessPolicy'>): (
  request: IncomingMessage,
) => TransportError | undefined {
  const checkAccess = createAccessCheck(accessPolicy);
  return (request) => {
    const { url = '', headers, httpVersion } = request;
    if (stopping()) {
      return new TransportError('shutting_down', 'The service is going down; try again in a moment.', {
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
    if (headers.host === undefined && httpVersion === '1.1') {
      return new TransportError('malformed_json', 'This HTTP/1.1 request has no Host header; send one.');
    }
    return checkAccess(request);
  };
}
