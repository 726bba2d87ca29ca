import type * as z from 'zod';
import type { AnyTool } from '#tool/define-tool.ts';
import { canWait, type WaitingTool } from '#tool/wait-for-result.ts';
import { isObject, type Message } from './json-rpc.ts';

type Members = Readonly<Record<string, unknown>>;

/** How long a call may wait, and whether its client is told meanwhile. */
export interface Wait {
  /** The longest wait, above 0. */
  readonly seconds: number;
  /** Undefined if the client requests no progress notifications. */
  readonly progressToken: string | number | undefined;
}

/**
 * Creates a function that reads the wait of a JSON-RPC message. It returns undefined unless the message is a call
 * that may wait.
 */
export function createWaitReader(tools: readonly AnyTool[]): (message: unknown) => Wait | undefined {
  const waiting = new Map(tools.filter(canWait).map((tool) => [tool.name, tool]));
  return (message) => {
    const { id, method, params } = toMembers(message);
    if (method !== 'tools/call' || id === undefined) return undefined;
    const { name, arguments: args, _meta: meta } = toMembers(params);
    const tool = waiting.get(name as string);
    // Arguments of another type are refused at once.
    if (tool === undefined || !isObject(args ?? {})) return undefined;
    const seconds = parseSeconds(tool, toMembers(args));
    const { progressToken } = toMembers(meta);
    return seconds > 0 ? { seconds, progressToken: progressToken as Wait['progressToken'] } : undefined;
  };
}

/**
 * Reads the seconds of a wait.
 * @returns 0 for a value that the tool refuses, since such a call fails at once
 */
function parseSeconds({ input, waiting: { secondsArgument } }: WaitingTool, args: Members): number {
  const field = (input.shape as Readonly<Record<string, z.ZodType>>)[secondsArgument];
  return (field?.safeParse(args[secondsArgument] ?? undefined).data ?? 0) as number;
}

function toMembers(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** The progress notification of a call that waits. @returns undefined if the client did not request it */
export function progressNotice(
  { progressToken, seconds }: Wait,
  elapsedSeconds: number,
): Message | undefined {
  if (progressToken === undefined) return undefined;
  const params = { progressToken, progress: elapsedSeconds, total: seconds };
  return { jsonrpc: '2.0', method: 'notifications/progress', params };
}
