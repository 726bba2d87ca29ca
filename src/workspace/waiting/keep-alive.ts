/**
 * A wait of this length is safe behind every proxy and in every host, so nothing is sent before its answer.
 */
export const MAX_SILENT_SECONDS = 25;

/** The interval of messages during a longer wait, so that no proxy or host considers the connection dead. */
const KEEP_ALIVE_SECONDS = 15;

/** Without this header nginx buffers what is sent during a wait. */
export const UNBUFFERED = { 'X-Accel-Buffering': 'no' } as const;

/**
 * Calls the function every `KEEP_ALIVE_SECONDS` with the seconds that have passed.
 * @returns a function that ends the calls
 */
export function startKeepAlive(send: (elapsedSeconds: number) => void): () => void {
  let elapsed = 0;
  const timer = setInterval(() => {
    elapsed += KEEP_ALIVE_SECONDS;
    send(elapsed);
  }, KEEP_ALIVE_SECONDS * 1000);
  return () => {
    clearInterval(timer);
  };
}
