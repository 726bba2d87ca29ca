import { toOwnBytes, type CachedResult, type EncodedResult } from '#tool/cached-result.ts';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { acceptsGzip } from './accept.ts';
import { createEtag, revalidate, type CacheableResponse } from './cacheable-response.ts';
import { joinHeaders, type Reply } from './reply.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

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
