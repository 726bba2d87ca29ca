import { createHash } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { toOwnBytes, type CachedResult, type EncodedResult } from '#tool/cached-result.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { acceptsGzip } from './accept.ts';
import type { DocumentContent, DocumentFormat } from './document.ts';
import { joinHeaders, type Reply } from './reply.ts';

/** The Cache-Control of documents that change only with a new configuration or version. */
export const DOCUMENT_CACHE_CONTROL = 'public, max-age=300';

export const NO_STORE = 'no-store';

export interface CacheableResponse extends EncodedResult, Reply {
  readonly status: 200 | 302;
  /** Headers of a 304, which describe no body. */
  readonly notModifiedHeaders: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** The estimated memory of the headers of one response, in bytes. */
export const HEADERS_SIZE = 1_500;

/**
 * Creates the uncompressed response to a read. Every response varies by Accept-Encoding, even one that is too
 * small to be compressed, since its next version may be larger.
 * @param commonHeaders of every read
 */
export function createCacheable(
  { type, encoding, link, vary, ...format }: DocumentFormat,
  { text, lastModified, location, cacheControl = format.cacheControl }: DocumentContent,
  commonHeaders: OutgoingHttpHeaders,
): CacheableResponse {
  const body = toOwnBytes(Buffer.from(text, encoding));
  const notModifiedHeaders: OutgoingHttpHeaders = {
    ...commonHeaders,
    ...(link !== undefined && { Link: link }),
    ...(location !== undefined && { Location: location }),
    Vary: [commonHeaders['Vary'], vary, 'Accept-Encoding'].filter((name) => name !== undefined).join(', '),
    'Cache-Control': cacheControl,
    ...(cacheControl !== NO_STORE && { ETag: createEtag(body) }),
  };
  const headers = {
    ...notModifiedHeaders,
    ...(lastModified !== undefined && { 'Last-Modified': new Date(lastModified).toUTCString() }),
    'Content-Type': type,
    'Content-Length': body.length,
  };
  const status = location === undefined ? 200 : 302;
  return {
    status,
    headers,
    notModifiedHeaders,
    body,
    size: body.length + (link?.length ?? 0) + HEADERS_SIZE,
  };
}

/** Creates a strong entity tag. It is a hash of the sent bytes, so each encoding has its own. */
function createEtag(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
}

/**
 * Returns the Cache-Control of reads of the store. Without `stale-while-revalidate=0` (RFC 5861) shared
 * caches would serve a page for some seconds after it has expired.
 * @param maxAge seconds for which a cache may reuse a response
 */
export function liveCacheControl(maxAge: number): string {
  return maxAge > 0 ? `public, max-age=${maxAge}, stale-while-revalidate=0` : 'public, no-cache';
}

/** @returns the response itself, or 304 if the client has its current version */
function revalidate({ headers: sent }: IncomingMessage, read: CacheableResponse): Reply {
  const { status, headers, notModifiedHeaders } = read;
  // A 304 replaces only a 200 (RFC 9110 section 13.2.1), and no client has a version without a tag.
  if (status !== 200 || !('ETag' in headers) || !isNotModified(sent, headers)) return read;
  return { status: 304, headers: notModifiedHeaders, body: '' };
}

/** Evaluates If-Modified-Since only in the absence of If-None-Match (RFC 9110 section 13.2.2). */
function isNotModified(
  sent: IncomingMessage['headers'],
  { ETag: etag, 'Last-Modified': lastModified }: OutgoingHttpHeaders,
): boolean {
  if (sent['if-none-match'] !== undefined) return matchesEtag(sent['if-none-match'], String(etag));
  const since = sent['if-modified-since'];
  if (since === undefined || typeof lastModified !== 'string') return false;
  // Clients send back a date that ends in GMT. Without GMT `Date.parse` would use the local time zone.
  return since.endsWith(' GMT') && Date.parse(since) >= Date.parse(lastModified);
}

/** Evaluates If-None-Match, a list of entity tags or `*`, by weak comparison (RFC 9110 section 13.1.2). */
function matchesEtag(header: string, etag: string): boolean {
  if (header === etag || header.trim() === '*') return true;
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** In bytes. A smaller body and its headers fit one or two packets, so compression saves no time. */
const MIN_GZIP_BYTES = 1_024;

interface GzipResult extends EncodedResult {
  /** Never rejects. */
  readonly response: Promise<CacheableResponse>;
}

/**
 * Creates an encoder. It compresses a response once a request accepts gzip and a thread is free, and caches
 * both.
 * @param toResponse creates the plain response to a result, which is cached under this function
 */
export function createEncoder(
  toResponse: (result: CachedResult) => CacheableResponse,
  compressor: Compressor,
) {
  const plain = (result: CachedResult): CacheableResponse => result.encodedAs(toResponse);
  const toGzipResult = (result: CachedResult): GzipResult | undefined => {
    const response = compressor
      .compress(plain(result).body)
      ?.then((body) =>
        body.length < plain(result).body.length ? toGzipResponse(plain(result), body) : plain(result),
      )
      .catch(() => plain(result));
    // A compressed body is smaller than the plain one, so this is an upper bound.
    return response && { response, size: plain(result).size };
  };
  const encode = (
    result: CachedResult,
    acceptEncoding: string | undefined,
    { hasLeft }: Caller,
  ): CacheableResponse | Promise<CacheableResponse> => {
    const response = plain(result);
    // For a read without the header, this comparison is the only cost.
    if (acceptEncoding === undefined || response.body.length < MIN_GZIP_BYTES) return response;
    if (!acceptsGzip(acceptEncoding) || hasLeft?.() === true) return response;
    return result.encodedAs(toGzipResult)?.response ?? response;
  };
  return {
    encode,
    /** @param more headers, which are not cached @returns the response that the request accepts, or 304 */
    toReply: async (
      request: IncomingMessage,
      result: CachedResult,
      caller: Caller,
      more?: OutgoingHttpHeaders,
    ): Promise<Reply> => {
      const encoded = await encode(result, request.headers['accept-encoding'], caller);
      const reply = revalidate(request, encoded);
      return more === undefined ? reply : { ...reply, headers: joinHeaders(reply.headers, more) };
    },
  };
}

function toGzipResponse(plain: CacheableResponse, compressed: Buffer): CacheableResponse {
  // zlib returns a part of a 16 KiB chunk.
  const body = toOwnBytes(compressed);
  const tag = 'ETag' in plain.headers && { ETag: createEtag(body) };
  return {
    ...plain,
    headers: { ...plain.headers, ...tag, 'Content-Encoding': 'gzip', 'Content-Length': body.length },
    notModifiedHeaders: { ...plain.notModifiedHeaders, ...tag },
    body,
  };
}

export class Compressor {
  readonly #compress: (body: Buffer) => Promise<Buffer>;
  #running = 0;
  #skipped = 0;

  /** @param compress must be deterministic: gzip at its default level, without a timestamp */
  constructor(compress = promisify<Buffer, Buffer>(gzip)) {
    this.#compress = compress;
  }

  /** The number of compressions that run now, and of those skipped since the start. */
  get counts(): Readonly<Record<'running' | 'skipped', number>> {
    return { running: this.#running, skipped: this.#skipped };
  }

  /** @returns undefined if no thread is free; the body is then sent uncompressed */
  compress(body: Buffer): Promise<Buffer> | undefined {
    // libuv has four threads. They also sync the store.
    if (this.#running === 2) {
      this.#skipped += 1;
      return undefined;
    }
    this.#running += 1;
    return this.#compress(body).finally(() => {
      this.#running -= 1;
    });
  }
}
