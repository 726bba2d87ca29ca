import type { IncomingMessage } from 'node:http';
import { createAccessCheck, type AccessPolicy } from './access.ts';
import { checkBody } from './body.ts';
import { MAX_ARGUMENTS } from '#tool/unknown-arguments.ts';
import { REQUEST_BOUNDS, TransportError } from '#http/responses/problem.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import { holdsAuthorKey } from '#workspace/text/author-key.ts';

const { urlCharacters } = REQUEST_BOUNDS;

/**
 * Creates the check that runs before a request is routed and its body is read.
 * @param stopping whether the service is shutting down and refuses requests
 * @returns a function that returns the error of a refused request
 */
export function createRequestCheck(
  accessPolicy: AccessPolicy,
  stopping: () => boolean,
): (request: IncomingMessage) => TransportError | WorkspaceError | undefined {
  const checkAccess = createAccessCheck(accessPolicy);
  return (request) => {
    const { url = '', rawHeaders, httpVersion } = request;
    if (stopping()) {
      return new TransportError('shutting_down', 'The service is shutting down; try again shortly.', {
        'Retry-After': '5',
        Connection: 'close',
      });
    }
    if (url.length > urlCharacters) {
      const detail = `The URL is longer than ${urlCharacters} characters; shorten it.`;
      return new TransportError('uri_too_long', detail);
    }
    if (url.split('&', MAX_ARGUMENTS + 1).length > MAX_ARGUMENTS) {
      const detail = `The URL has more than ${MAX_ARGUMENTS} parameters; leave some out.`;
      return new TransportError('uri_too_long', detail);
    }
    if (holdsKey(url))
      return new WorkspaceError(
        'looks_like_secret',
        'The URL contains what looks like an author key. Send a key only in a body or in the header ' +
          'Authorization, as Bearer plk-…. Proxies may have logged this key, so get a new one.',
      );
    const bodyError = checkBody(request);
    if (bodyError !== undefined) return bodyError;
    const hosts = countHosts(rawHeaders);
    if (hosts === 0 && httpVersion === '1.1')
      return new TransportError('malformed_request', 'This HTTP/1.1 request has no Host header; send one.');
    if (hosts > 1)
      return new TransportError('malformed_request', 'This request has several Host headers; send only one.');
    return checkAccess(request);
  };
}

/** Returns the part after the first question mark, which may contain others (RFC 3986 section 3.4). */
export function rawQuery(url: string): string {
  const start = url.indexOf('?');
  return start < 0 ? '' : url.slice(start + 1);
}

/** Whether a query contains an author key, which browser histories, links and proxy logs would keep. */
function holdsKey(url: string): boolean {
  const query = rawQuery(url);
  if (!query.includes('%')) return holdsAuthorKey(query.replaceAll('+', ' '));
  // `URLSearchParams` decodes each parameter separately, and replaces invalid UTF-8 with U+FFFD.
  return [...new URLSearchParams(query)].flat().some(holdsAuthorKey);
}

/**
 * Counts the Host headers (RFC 9112 section 3.2), because `headers` contains only the first one.
 * @param rawHeaders names and values in turn
 */
function countHosts(rawHeaders: readonly string[]): number {
  // This runs for every request, so it copies only names of four letters.
  const isHost = (name: string, index: number): boolean =>
    index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host';
  return rawHeaders.filter(isHost).length;
}

/** A sequence of percent escapes, which are decoded together, or a percent sign that begins no escape. */
const ESCAPES = /(?:%[0-9a-f]{2})+|%/gi;

/**
 * Checks the percent-encoding of a path. Express decodes only parameters, and would send 404 for other parts.
 * @returns an error that names the first escapes that are not UTF-8
 */
export function checkPathEncoding(path: string): TransportError | undefined {
  if (canDecode(path)) return undefined;
  const escapes = path.match(ESCAPES)?.find((one) => !canDecode(one)) ?? '%';
  const beginning = escapes.replace(/(?<=^.{12}).+/, '…');
  return new TransportError(
    'malformed_request',
    `The percent-encoding "${beginning}" in the path is not UTF-8; encode each byte as % and two hex digits, ` +
      'and a percent sign as %25.',
  );
}

function canDecode(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
