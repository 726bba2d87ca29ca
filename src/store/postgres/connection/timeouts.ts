/**
 * Timeouts in milliseconds. A caller learns of every failure within five seconds, so the steps of one attempt fit into
 * that; and the other instances can write again before they give up if one stops in the middle of a write.
 */
export const CONNECT_TIMEOUT_MS = 1500;

/** How long a transaction may hold the row of `clock` without sending a statement. */
export const IDLE_TRANSACTION_TIMEOUT_MS = 1500;

/** How long a write waits for those of other instances. */
export const LOCK_TIMEOUT_MS = 2500;

export const STATEMENT_TIMEOUT_MS = 3000;

/** For optional data, such as rate-limit headers: after this time the response is sent without it. */
export const OPTIONAL_READ_TIMEOUT_MS = 1000;

/** How long a caller waits for a read or a write, retries included. */
export const CALL_TIMEOUT_MS = 4000;

/** How long the start waits for a notification that it sends to itself. */
export const NOTIFICATION_TIMEOUT_MS = 2000;
