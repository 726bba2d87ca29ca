import { CachedResult } from './cached-result.ts';
import { parseInput } from './call-tool.ts';
import type { AnyTool, Context } from './define-tool.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ResultCache } from './result-cache.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A read tool that can wait. */
export type WaitingTool = AnyTool & Required<Pick<AnyTool, 'waiting'>>;

export function canWait(tool: AnyTool): tool is WaitingTool {
  return tool.waiting !== undefined;
}

/** Calls a read tool, or returns its cached result. Without a signal in its context the call does not wait. */
export function runRead(
  results: ResultCache,
  tool: AnyTool,
  args: unknown,
  context: Context,
): MaybePromise<CachedResult> {
  const { signal } = context;
  return signal === undefined || !canWait(tool)
    ? results.run(tool, args, context)
    : waitForResult(results, tool, args, { ...context, signal });
}

/**
 * Calls a tool that can wait: looks, and looks again after every change that may be the answer. A look is an ordinary
 * cached read, so calls that wait for the same share it. Once the call waits, a look that fails ends it with what the last
 * one found.
 * @param earlier what a look of the same call has found
 * @throws WorkspaceError only
 */
export async function waitForResult(
  results: ResultCache,
  tool: WaitingTool,
  args: unknown,
  context: Context & Required<Pick<Context, 'signal'>>,
  earlier?: Fields,
): Promise<CachedResult> {
  const { workspace, signal } = context;
  const { waiters, waitLimit } = workspace;
  const { secondsArgument, topics, isAnswer, next, join, timeOut } = tool.waiting;
  const input = parseInput(tool, args);
  const seconds = input[secondsArgument] as number;
  /** @returns the page of the arguments, or behind what the call has found */
  const look = async (found?: Fields, hasWaitPlace = false): Promise<CachedResult> => {
    const query = found === undefined ? input : next(input as never, found as never);
    const result = await results.run(
      tool,
      { ...query, [secondsArgument]: 0 },
      { ...context, caller: { ...context.caller, hasWaitPlace } },
    );
    if (found === undefined) return result;
    const output = join(found as never, result.output as never) as Fields;
    return output === result.output ? result : withOutput(result, output);
  };
  if (seconds === 0) return look();
  const waiter = waiters.register(topics(input as never), seconds * 1000, signal);
  let leave = (): void => undefined;
  try {
    let result = await look(earlier);
    if (isAnswer(result.output as never)) return result;
    leave = waitLimit.acquire(context.caller);
    for (let hasTime = true; hasTime; ) {
      hasTime = await waiter.woken();
      if (signal.aborted) break;
      const found = await look(result.output, true).catch(() => undefined);
      if (found === undefined) break;
      result = found;
      if (isAnswer(result.output as never)) return result;
    }
    return withOutput(result, timeOut(result.output as never) as Fields);
  } finally {
    waiter.release();
    leave();
  }
}

function withOutput({ input }: CachedResult, output: Fields): CachedResult {
  return new CachedResult({ input, output, text: JSON.stringify(output) });
}
