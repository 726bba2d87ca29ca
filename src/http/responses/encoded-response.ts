import type { CachedResult, ResultForm } from '#tool/cached-result.ts';
import type { MaybePromise } from '#tool/maybe-promise.ts';
import { acceptsGzip } from './accept-encoding.ts';
import { etagOf, type CacheableResponse } from './cacheable-response.ts';
import type { Caller } from '#workspace/caller.ts';
import type { Compressor } from './compressor.ts';

/** In bytes. A smaller body fits a packet or two with its headers, so that compressing it saves no time. */
const MIN_GZIP_BYTES = 1_024;

interface GzipForm extends ResultForm {
  /** A promise while the body is compressed; never rejects. */
  response: MaybePromise<CacheableResponse>;
}

/** Sends a result in the encoding that a request asks for. */
export interface Encoder {
  /** The plain form of a result. */
  readonly plain: (result: CachedResult) => CacheableResponse;
  /** @param acceptEncoding the header of the request */
  readonly encode: (
    result: CachedResult,
    acceptEncoding: string | undefined,
    caller: Caller,
  ) => MaybePromise<CacheableResponse>;
}

/**
 * @param toResponse makes the plain form of a result. The gzip form is made once for each result, by the first request that
 *   accepts it while a thread is free, and kept beside the plain one.
 */
export function createEncoder(
  toResponse: (result: CachedResult) => CacheableResponse,
  compressor: Compressor,
): Encoder {
  const plain = (result: CachedResult): CacheableResponse => result.form(toResponse);
  const toGzipForm = (result: CachedResult): GzipForm | undefined => {
    const response = compressor
      .compress(plain(result).body)
      ?.then((body) =>
        body.length < plain(result).body.length ? toGzipResponse(plain(result), body) : plain(result),
      )
      .catch(() => plain(result));
    if (response === undefined) return undefined;
    // A compressed body is smaller than the plain one, so this is an upper bound.
    const form: GzipForm = { response, size: plain(result).size };
    void response.then((finished) => {
      form.response = finished;
    });
    return form;
  };
  return {
    plain,
    encode: (result, acceptEncoding, { hasLeft }) => {
      const response = plain(result);
      // Of a read without the header this comparison is the only cost.
      if (acceptEncoding === undefined || response.body.length < MIN_GZIP_BYTES) return response;
      if (!acceptsGzip(acceptEncoding) || hasLeft?.() === true) return response;
      return result.form(toGzipForm)?.response ?? response;
    },
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
