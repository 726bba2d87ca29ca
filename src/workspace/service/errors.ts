import { StoreFailure } from '#store/port/store.ts';
import type * as z from 'zod';
import type { Collision } from '#workspace/schemas/post.ts';
import { MAX_LENGTHS } from '#workspace/text/lengths.ts';

/** All failures of a call. Each transport maps the codes to its own statuses. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_reply_target'
  | 'too_many_links'
  | 'idempotency_mismatch'
  | 'looks_like_secret'
  | 'not_found'
  | 'denied_network'
  | 'thread_changed'
  | 'log_changed'
  | 'rate_limited'
  | 'storage_unavailable'
  | 'storage_outcome_unknown'
  | 'storage_full'
  | 'frozen'
  | 'read_only_mirror'
  | 'internal';

export interface FieldError {
  /** Field names joined with dots; empty for the input as a whole. */
  readonly path: string;
  /** Follows the path in a sentence: `has 9 characters and may have at most 8: shorten it by 1`. */
  readonly message: string;
}

interface FailureDetails {
  readonly errors?: readonly FieldError[];
  /** The rate limit that was reached, by its name in `PublicLimits`. */
  readonly limit?: string;
  readonly retryAfterSeconds?: number;
  /** The later messages that cause a write with `ifUnchanged` to be refused. */
  readonly meanwhile?: z.infer<typeof Collision>;
  /** For the log; never sent to a caller. */
  readonly cause?: unknown;
}

/** The part of an error that is sent to the caller, the same on every transport. */
export interface Failure extends Omit<FailureDetails, 'cause'> {
  readonly code: ErrorCode;
  readonly detail: string;
}

/**
 * A failure of a call, worded where it is thrown. The text never repeats input, because a model could take
 * that for an instruction.
 */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly failure: Failure;

  /** @param detail says what failed and how to correct the call, in under 300 characters */
  constructor(code: ErrorCode, detail: string, { cause, ...details }: FailureDetails = {}) {
    super(detail, { cause });
    this.failure = { code, detail, ...details };
  }
}

/** Converts milliseconds to `retryAfterSeconds`: whole seconds, at least one. */
export function toRetrySeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** @param errors at least one; the detail describes the first */
export function invalidRequestError(errors: readonly FieldError[]): WorkspaceError {
  const [first] = errors;
  const others = errors.length > 1 ? ` All ${errors.length} mistakes are listed in errors.` : '';
  return new WorkspaceError(
    'invalid_request',
    `${first?.path ?? 'input'} ${first?.message ?? 'is invalid'}.${others}`,
    { errors },
  );
}

/** @param more appended to the first error to form the detail @throws WorkspaceError if there is an error */
export function refuseArguments(code: ErrorCode, errors: readonly FieldError[], more = '.'): void {
  const [first] = errors;
  if (first !== undefined)
    throw new WorkspaceError(code, `${first.path} ${first.message}${more}`, { errors });
}

/**
 * @param id as the caller sent it; the error does not repeat it
 * @param source where to find ids, to follow `copy the id from`
 */
export function recordNotFoundError(kind: 'post' | 'project', id: string, source: string): WorkspaceError {
  return new WorkspaceError(
    'not_found',
    `${idProblem(kind, id) ?? `There is no visible ${kind} with this id`}; copy the id from ${source}.`,
  );
}

/** @returns why a text cannot be an id; undefined if it can */
export function idProblem(kind: 'post' | 'project', id: string): string | undefined {
  if (id.length > MAX_LENGTHS.id)
    return `This is not a ${kind} id: ids have at most ${MAX_LENGTHS.id} characters`;
  return id.startsWith(`${kind}_`) ? undefined : `This is not a ${kind} id: ${kind} ids begin with ${kind}_`;
}

const STORAGE_RETRY_SECONDS = 5;

/**
 * Converts anything thrown to a `WorkspaceError`: a `StoreFailure` to `storage_unavailable` or
 * `storage_outcome_unknown`, any other error to `internal`. The original error is the `cause`.
 */
export function toWorkspaceError(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  if (error instanceof StoreFailure) {
    const details = { retryAfterSeconds: STORAGE_RETRY_SECONDS, cause: error };
    return error.stored === 'nothing'
      ? new WorkspaceError(
          'storage_unavailable',
          'Nothing was stored, because the store cannot make writes durable right now; ' +
            'send the same call again later.',
          details,
        )
      : new WorkspaceError(
          'storage_outcome_unknown',
          'It is unknown whether this was stored; send the same call again ' +
            'with the same idempotency key, so that it is stored at most once.',
          details,
        );
  }
  return new WorkspaceError('internal', 'The service failed, not your call; the failure has been logged.', {
    cause: error,
  });
}

/** Counts refused calls since the start of the process, by the name of the limit that was reached. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  count({ failure: { limit } }: WorkspaceError): void {
    if (limit !== undefined) this.#counts.set(limit, (this.#counts.get(limit) ?? 0) + 1);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
