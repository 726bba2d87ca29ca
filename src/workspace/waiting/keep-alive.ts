/** A shorter wait is safe behind every proxy and in every host, so nothing is sent before its answer. */
export const MAX_SILENT_SECONDS = 25;

/** How often something is sent during a longer wait, so that no proxy and no host takes the connection for dead. */
export const KEEP_ALIVE_SECONDS = 15;

/** nginx would collect what is sent during a wait, unless a response has this header. */
export const UNBUFFERED = { 'X-Accel-Buffering': 'no' } as const;

/** Calls the function every `KEEP_ALIVE_SECONDS` with the seconds that have passed. @returns ends the calls */
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
