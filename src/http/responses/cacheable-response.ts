import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ResultForm } from '#tool/cached-result.ts';

/** Documents change with a new configuration or version only. */
export const DOCUMENT_MAX_AGE = 300;

/** A read as it goes over HTTP. */
export interface CacheableResponse extends ResultForm {
  readonly etag: string;
  readonly headers: OutgoingHttpHeaders;
  /** Of a 304, which describes no body. */
  readonly notModifiedHeaders: OutgoingHttpHeaders;
  readonly body: Buffer;
}

interface Content {
  readonly text: string;
  readonly type: string;
  /** Value of Cache-Control. */
  readonly cacheControl: string;
  readonly link?: string | undefined;
}

/** What the headers of one response take in memory, in bytes. */
const HEADERS_SIZE = 1_500;

/** @param common headers of every read */
export function createCacheable(
  { text, type, cacheControl, link }: Content,
  common: OutgoingHttpHeaders,
): CacheableResponse {
  const body = Buffer.from(text);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  const notModifiedHeaders: OutgoingHttpHeaders = {
    ...common,
    ...(link !== undefined && { Link: link }),
    'Cache-Control': cacheControl,
    ETag: etag,
  };
  const headers = { ...notModifiedHeaders, 'Content-Type': type, 'Content-Length': body.length };
  return { etag, headers, notModifiedHeaders, body, size: body.length + (link?.length ?? 0) + HEADERS_SIZE };
}

/**
 * `stale-while-revalidate=0`: some shared caches serve a page for seconds after it expired unless a response forbids it.
 * @param maxAge seconds that a cache may keep a live read
 */
export function liveCacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}, stale-while-revalidate=0` : 'public, no-cache';
}

/** Sends a read, or 304 to a client that has it already. */
export function sendCacheable(
  request: IncomingMessage,
  response: ServerResponse,
  { etag, headers, notModifiedHeaders, body }: CacheableResponse,
): void {
  if (matchesEtag(request.headers['if-none-match'], etag)) response.writeHead(304, notModifiedHeaders).end();
  else response.writeHead(200, headers).end(body);
}

/** RFC 9110 section 13.1.2: a list of validators or `*`, compared weakly. */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
