/**
 * How long things may take, in milliseconds. A caller hears of every failure within five seconds, so the parts of one
 * attempt fit into that, and an instance that stops in the middle of a write lets the others go on before they give up.
 */
export const CONNECT_MS = 1500;

/** How long a transaction may hold the clock row without saying anything. */
export const SILENCE_MS = 1500;

/** How long a write waits for those of other instances. */
export const LOCK_MS = 2500;

/** How long a statement may run. */
export const STATEMENT_MS = 3000;

/** How long what nobody needs may take: an answer goes without it rather than late. */
export const AT_ONCE_MS = 1000;

/** How long a caller waits for a read or a write, retries included. */
export const PATIENCE_MS = 4000;

/** How long the start waits for a notification that it sends to itself. */
export const NOTIFICATION_MS = 2000;
