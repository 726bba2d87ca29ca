import type { RateLimit } from '#workspace/schemas/limits.ts';
import { createSigner, type Sign } from '#workspace/text/author-key.ts';
import { invalidRequestError } from './errors.ts';
import type { Mirror } from './mirror.ts';

/** How much of one limit a client has left. */
export interface Quota extends RateLimit {
  readonly remaining: number;
  /** Seconds until `remaining` rises by one, at least 1; the whole window if nothing was used. */
  readonly resetSeconds: number;
}

/** The client of a call. */
export interface Caller {
  /** The client key: the client's network, or `LOOPBACK_CLIENT`. */
  readonly clientKey: string;
  /**
   * How many code points the texts of a list may have, so that a result fits into the context window of a
   * model. The list ends with the record that reaches this number. Unlimited if absent.
   */
  readonly textBudget?: number;
  /** Whether the client has closed its connection. Absent if the transport does not report that. */
  readonly hasLeft?: () => boolean;
  /** Whether the call occupies a place of `WaitLimit`, which limits the reads that it makes. */
  readonly hasWaitPlace?: boolean;
  /** Receives how much of each limit is left, including the write itself. */
  readonly onQuotas?: (quotas: readonly Quota[]) => void;
}

/** The part of the caller that a read needs. */
export type TextLimit = Pick<Caller, 'textBudget'>;

/** Receives the time at which the clock alone changes a result, in milliseconds since 1970. */
export type ExpireAt = (time: number) => void;

/** The client key of all clients on stdio, 127.0.0.0/8 and ::1. */
export const LOOPBACK_CLIENT = 'local';

/**
 * Creates the function that signs for a call, like `createSigner`, but refuses a key that is sent to a mirror.
 * @throws WorkspaceError invalid_request
 */
export function signWith(authorKey: string | undefined, mirror: Mirror | undefined): Sign {
  if (mirror === undefined || authorKey === undefined) return createSigner(authorKey);
  const message = 'must be left out, since this service is a mirror: never send a key to a mirror';
  throw invalidRequestError([{ path: 'authorKey', message }]);
}
