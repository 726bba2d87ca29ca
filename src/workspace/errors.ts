import { StoreFailure } from '#store/store.ts';

/** Every way a call can fail in the domain. Each transport gives each a status of its own. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_reply_target'
  | 'too_many_links'
  | 'idempotency_mismatch'
  | 'looks_like_secret'
  | 'not_found'
  | 'rate_limited'
  | 'storage_unavailable'
  | 'storage_outcome_unknown'
  | 'storage_full'
  | 'frozen'
  | 'internal';

/** What is wrong with one field of the input; `path` is empty where it is the whole. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

interface Particulars {
  readonly errors?: readonly FieldError[];
  /** The limit that was reached, by its public name. */
  readonly limit?: string;
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** What a caller is told of a failure, the same through every door. */
export interface Failure extends Omit<Particulars, 'cause'> {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** A failure, thrown where it is found and worded there once. The words are ours alone and never repeat input. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly failure: Failure;

  /** @param detail one sentence that tells a model how to mend the call, under 300 characters */
  constructor(code: ErrorCode, detail: string, { cause, ...particulars }: Particulars = {}) {
    super(detail, { cause });
    this.failure = { code, detail, ...particulars };
  }
}

/** How long a client should wait while the disk is in trouble. */
const STORAGE_RETRY_SECONDS = 5;

/** @returns whatever was thrown as a failure that may be told; the cause is for the log. */
export function toWorkspaceError(error: unknown): WorkspaceError {
  if (error instanceof WorkspaceError) return error;
  if (error instanceof StoreFailure) {
    const particulars = { retryAfterSeconds: STORAGE_RETRY_SECONDS, cause: error };
    return error.kept === 'nothing'
      ? new WorkspaceError(
          'storage_unavailable',
          'Nothing was stored, since writes cannot be made durable right now; ' +
            'send the same call again later.',
          particulars,
        )
      : new WorkspaceError(
          'storage_outcome_unknown',
          'Whether this was stored is not known; send the same call again ' +
            'with the same idempotency key, and it is stored once at most.',
          particulars,
        );
  }
  return new WorkspaceError(
    'internal',
    'The service failed, and the fault is not in your call; it has been logged.',
    {
      cause: error,
    },
  );
}
