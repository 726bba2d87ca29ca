import { STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { ERRORS, type TransportCode } from './error-table.ts';
import type { Reply } from './reply.ts';
import type { ErrorCode, Failure, WorkspaceError } from '#workspace/service/errors.ts';

/** Problem details (RFC 9457): all that callers see of an error. The cause is only logged. */
export interface Problem extends Omit<Failure, 'code'> {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode | TransportCode;
  /** The reference of this occurrence in the log, for code `internal` only. */
  readonly instance?: string;
}

/** The error of a request that the HTTP layer refuses. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code: TransportCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: TransportCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.code = code;
    this.headers = headers;
  }
}

export function createProblem(
  code: ErrorCode | TransportCode,
  detail: string,
  rest: Partial<Problem> = {},
): Problem {
  const { status } = ERRORS[code];
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail, code, ...rest };
}

export function tooLargeError(maxBytes: number): TransportError {
  const detail = `The body is larger than ${maxBytes / 1024} KiB; shorten it.`;
  return new TransportError('too_large', detail, { Connection: 'close' });
}

export interface ProblemResponse {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Converts an error to a problem and its headers.
 * @param reference in the log; callers see it for code `internal` only
 */
export function toProblemResponse(
  error: TransportError | WorkspaceError,
  reference: string,
): ProblemResponse {
  if (error instanceof TransportError)
    return { problem: createProblem(error.code, error.message), headers: error.headers };
  const { code, detail, ...rest } = error.failure;
  const instance = code === 'internal' && { instance: `urn:uuid:${reference}` };
  const headers =
    rest.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(rest.retryAfterSeconds) };
  return { problem: createProblem(code, detail, { ...rest, ...instance }), headers };
}

/**
 * Creates the response to a failed request, and logs the cause.
 * @param headers those before the headers of the failure; none for a response that has them already
 */
export type FailureReply = (
  thrown: unknown,
  request: Pick<IncomingMessage, 'url' | 'headers'>,
  ...headers: OutgoingHttpHeaders[]
) => Reply;
