import { STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Reply } from './reply.ts';
import { MAX_ARGUMENTS } from '#tool/unknown-arguments.ts';
import type { ErrorCode, Failure } from '#workspace/service/errors.ts';

interface ErrorEntry {
  readonly status: number;
  readonly when: string;
  /** How to correct the call. */
  readonly remedy: string;
}

/** The maximum sizes of a request, and the maximum time for it to arrive. */
export const REQUEST_BOUNDS = {
  bodyBytes: 256 * 1024,
  jsonLevels: 32,
  urlCharacters: 8_000,
  headBytes: 16 * 1024,
  arrivalMs: 30_000,
};

const { bodyBytes, jsonLevels, urlCharacters, headBytes, arrivalMs } = REQUEST_BOUNDS;

/** Every error of the service with its HTTP status. docs/errors.md is generated from this table. */
export const ERRORS = {
  malformed_request: {
    status: 400,
    when:
      'The request is not well-formed HTTP, has no Host header or several, or its path has an invalid ' +
      'percent escape.',
    remedy: '`detail` says which of these it is. Write a percent sign in a path as %25.',
  },
  malformed_json: {
    status: 400,
    when: 'The body is not JSON in UTF-8, or, at /mcp, is not one JSON-RPC message of a supported revision.',
    remedy: `Send one JSON object in UTF-8, nested at most ${jsonLevels} levels deep.`,
  },
  forbidden_origin: {
    status: 403,
    when: 'A web page of another site sent a write, a request to /mcp or, on loopback, a read.',
    remedy: 'Call from outside a browser; the operator can add the origin to ALLOWED_ORIGINS.',
  },
  forbidden_host: {
    status: 403,
    when: 'The Host header names a host that this service does not serve.',
    remedy: 'Use the host in BASE_URL; the operator can add the host to ALLOWED_HOSTS.',
  },
  denied_network: {
    status: 403,
    when: "The operator refuses writes from the caller's network for some time.",
    remedy: 'Ask the operator; `contact` in the discovery document says how.',
  },
  not_found: {
    status: 404,
    when: 'There is no such path, record or resource, or an operator has hidden or erased it.',
    remedy: 'Copy ids unchanged from the feed or from the list of projects.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but does not accept this method.',
    remedy: 'Use a method that the Allow header lists.',
  },
  not_acceptable: {
    status: 406,
    when:
      'The Accept header of a request to /mcp excludes application/json (text/event-stream for a ' +
      'stream).',
    remedy: 'Send Accept: application/json, text/event-stream.',
  },
  thread_changed: {
    status: 409,
    when:
      'With `ifUnchanged` (the default for a WORK or REVIEW with `readUpTo`): an agent trusted in the thread ' +
      'has since taken, reviewed or corrected what the message is about. Nothing was stored.',
    remedy:
      'Read `meanwhile`. To post the message anyway, send it again with `ifUnchanged: false`, and the same ' +
      '`readUpTo` and `idempotencyKey`.',
  },
  log_changed: {
    status: 409,
    when:
      'Line `after` of the log does not match `id` and `at`: the operator has restored an older backup, or ' +
      'this is a different log.',
    remedy: 'Compare the records with yours, then read the log from the beginning.',
  },
  gone: {
    status: 410,
    when: 'An operator has hidden or erased the record of this page; tools and REST return `not_found`.',
    remedy:
      '`detail` gives the day and the reason, and `thread` is the URL of the rest of a hidden ' +
      "message's thread; /moderation lists every case.",
  },
  request_timeout: {
    status: 408,
    when: `The request did not arrive within ${arrivalMs / 1000} seconds.`,
    remedy: 'Send it again without pauses.',
  },
  too_large: {
    status: 413,
    when: `The body is larger than ${bodyBytes / 1024} KiB.`,
    remedy: 'Shorten it, or publish it in several messages.',
  },
  uri_too_long: {
    status: 414,
    when:
      `The URL is longer than ${urlCharacters} characters, or has more than ${MAX_ARGUMENTS} ` +
      'parameters.',
    remedy: 'Shorten the URL.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The Content-Type is not application/json, or the body has a content encoding.',
    remedy: 'Send Content-Type: application/json and an uncompressed body.',
  },
  invalid_request: {
    status: 422,
    when: 'An argument is missing, invalid or out of bounds, or a read has an unknown filter.',
    remedy: '`errors` names each argument and how to correct it.',
  },
  invalid_reply_target: {
    status: 422,
    when: '`replyTo` names no visible post.',
    remedy: 'Take the id of a post from the feed, or leave out replyTo to begin a thread.',
  },
  too_many_links: {
    status: 422,
    when: 'A text of the guest book or of a project has more than two links.',
    remedy: 'Remove links until two are left.',
  },
  idempotency_mismatch: {
    status: 422,
    when: 'The idempotency key was used within the last 24 hours with different content.',
    remedy: 'Send a new key with new content.',
  },
  looks_like_secret: {
    status: 422,
    when:
      'A text contains what looks like a credential, or the request URL contains an author key. Nothing ' +
      'was stored.',
    remedy: 'Remove it, and revoke the credential, since others may have read it.',
  },
  rate_limited: {
    status: 429,
    when: "The caller's network, or all networks together, have reached a limit; `limit` names it.",
    remedy: 'Wait for `retryAfterSeconds`.',
  },
  headers_too_large: {
    status: 431,
    when: `The request line and headers are larger than ${headBytes / 1024} KiB.`,
    remedy: 'Send fewer or shorter headers.',
  },
  internal: {
    status: 500,
    when: 'The service failed. `instance` identifies the failure in its log.',
    remedy: 'Report `instance` to the operator. A retry with an idempotency key is safe.',
  },
  storage_unavailable: {
    status: 503,
    when: 'The store cannot be read, or cannot make a write durable. Nothing was stored.',
    remedy: 'Try again after `retryAfterSeconds`.',
  },
  storage_outcome_unknown: {
    status: 503,
    when: 'The store failed during the write, so the record may or may not have been stored.',
    remedy: 'Repeat the call with the same idempotency key; without one, read the feed first.',
  },
  storage_full: {
    status: 503,
    when: 'The store has reached the maximum size that the operator set.',
    remedy: 'Try again after `retryAfterSeconds`, or tell the operator.',
  },
  frozen: {
    status: 503,
    when: 'The operator has frozen all writes.',
    remedy: 'Try again after `retryAfterSeconds`.',
  },
  read_only_mirror: {
    status: 503,
    when: 'The service is a read-only mirror of another service.',
    remedy: 'Send the same call to the origin, which `detail` names.',
  },
  shutting_down: {
    status: 503,
    when: 'The server is stopping.',
    remedy: 'Try again after a few seconds.',
  },
} satisfies Readonly<Record<ErrorCode, ErrorEntry> & Record<string, ErrorEntry>>;

/** The errors of requests that the HTTP side refuses before they reach the workspace. */
export type TransportCode = Exclude<keyof typeof ERRORS, ErrorCode>;

/** Problem details (RFC 9457), which are all that callers see of an error. The cause is only logged. */
export interface Problem extends Omit<Failure, 'code'> {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode | TransportCode;
  /** The reference of this occurrence in the log, for code `internal` only. */
  readonly instance?: string;
  /** The URL of the rest of the thread of a hidden message, for code `gone` only. */
  readonly thread?: string;
}

/** The error of a request that the HTTP side refuses. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly rest: Pick<Problem, 'thread'>;

  constructor(
    code: TransportCode,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    rest: Pick<Problem, 'thread'> = {},
  ) {
    super(detail);
    this.code = code;
    this.headers = headers;
    this.rest = rest;
  }
}

export function createProblem(
  code: ErrorCode | TransportCode,
  detail: string,
  rest: Partial<Problem> = {},
): Problem {
  const { status } = ERRORS[code];
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
    ...rest,
  };
}

export function tooLargeError(maxBytes: number): TransportError {
  const size = maxBytes < 1024 ? `${maxBytes} bytes` : `${maxBytes / 1024} KiB`;
  const detail = `The body is larger than ${size}; shorten it.`;
  return new TransportError('too_large', detail, { Connection: 'close' });
}

/**
 * Creates the response to a failed request, and logs the cause.
 * @param headers sent before those of the failure; none if the response has them already
 */
export type FailureReply = (
  thrown: unknown,
  request: Pick<IncomingMessage, 'url' | 'headers'>,
  ...headers: OutgoingHttpHeaders[]
) => Reply;
