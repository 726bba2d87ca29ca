import type { Message } from '#mcp/protocol/json-rpc.ts';
import type { WaitingCall } from './waiting-call.ts';

/** The progress notification of a call that waits. @returns undefined if the client did not request it */
export function progressNotice(
  { progressToken, seconds }: Pick<WaitingCall, 'progressToken' | 'seconds'>,
  elapsedSeconds: number,
): Message | undefined {
  if (progressToken === undefined) return undefined;
  const params = { progressToken, progress: elapsedSeconds, total: seconds };
  return { jsonrpc: '2.0', method: 'notifications/progress', params };
}
