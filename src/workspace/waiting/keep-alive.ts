/** Proxies and hosts keep a silent connection for at least this time, so a shorter wait sends nothing. */
export const MAX_SILENT_SECONDS = 25;

/** The interval of messages during a longer wait. They keep proxies and hosts from closing the connection. */
const KEEP_ALIVE_SECONDS = 15;

/** Without this header nginx buffers what a server sends during a wait. */
export const UNBUFFERED = { 'X-Accel-Buffering': 'no' } as const;

/**
 * Calls `send` every `KEEP_ALIVE_SECONDS` with the elapsed seconds.
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
