import type { Message } from '#mcp/transport/json-rpc.ts';
import type { WaitingCall } from './waiting-call.ts';

/** How often something is sent while a call waits, so that no proxy and no host takes the connection for dead. */
export const KEEP_ALIVE_SECONDS = 15;

/** @returns the notice that a call still waits; undefined if the client did not ask for it */
export function progressNotice(
  { progressToken, seconds }: Pick<WaitingCall, 'progressToken' | 'seconds'>,
  elapsedSeconds: number,
): Message | undefined {
  if (progressToken === undefined) return undefined;
  const params = { progressToken, progress: elapsedSeconds, total: seconds };
  return { jsonrpc: '2.0', method: 'notifications/progress', params };
}

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
