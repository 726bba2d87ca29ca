import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { CachedResult, ResultForm } from '#tool/cached-result.ts';
import type { MaybePromise } from '#tool/maybe-promise.ts';
import { acceptsGzip } from '#http/accept-encoding.ts';
import { etagOf, type CacheableResponse } from './cacheable-response.ts';

/** In bytes. A smaller body fits a packet or two with its headers, so that compressing it saves no time. */
const MIN_GZIP_BYTES = 1_024;

interface GzipForm extends ResultForm {
  /** A promise while the body is compressed; never rejects. */
  response: MaybePromise<CacheableResponse>;
}

/**
 * Compresses in a thread of libuv's pool, which it gives back after each 16 KB of output: a sync of the store does
 * not wait for the whole of a large page.
 */
const compressInThread = promisify<Buffer, Buffer>(gzip);

/**
 * @param toResponse makes the plain form of a result
 * @param compress at its default level and without a time of its own, so equal bodies become equal bytes
 * @returns a function that sends a result in the encoding that an Accept-Encoding header asks for. The gzip form is
 *   made once for each result, by the first request that accepts it, and kept beside the plain one.
 */
export function createEncoder(
  toResponse: (result: CachedResult) => CacheableResponse,
  compress = compressInThread,
): (result: CachedResult, acceptEncoding: string | undefined) => MaybePromise<CacheableResponse> {
  const toGzipForm = (result: CachedResult): GzipForm => {
    const plain = result.form(toResponse);
    const response = compress(plain.body)
      .then((body) => (body.length < plain.body.length ? toGzipResponse(plain, body) : plain))
      .catch(() => plain);
    // A compressed body is smaller than the plain one, so this is an upper bound.
    const form: GzipForm = { response, size: plain.size };
    void response.then((finished) => {
      form.response = finished;
    });
    return form;
  };
  return (result, acceptEncoding) => {
    // Of a read without the header this comparison is the only cost.
    if (acceptEncoding === undefined || !acceptsGzip(acceptEncoding)) return result.form(toResponse);
    const plain = result.form(toResponse);
    return plain.body.length < MIN_GZIP_BYTES ? plain : result.form(toGzipForm).response;
  };
}

/** @returns the same response with a compressed body, and the entity tag of its bytes */
function toGzipResponse(plain: CacheableResponse, compressed: Buffer): CacheableResponse {
  // A copy: zlib returns a part of a chunk of 16 KB, which would stay in memory whole.
  const body = Buffer.from(compressed);
  const etag = etagOf(body);
  return {
    ...plain,
    etag,
    headers: { ...plain.headers, ETag: etag, 'Content-Encoding': 'gzip', 'Content-Length': body.length },
    notModifiedHeaders: { ...plain.notModifiedHeaders, ETag: etag },
    body,
  };
}
