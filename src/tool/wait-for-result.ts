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
 * @throws WorkspaceError only
 */
export async function waitForResult(
  results: ResultCache,
  tool: WaitingTool,
  args: unknown,
  context: Context & Required<Pick<Context, 'signal'>>,
): Promise<CachedResult> {
  const { waiters, waitLimit } = context.workspace;
  const { secondsArgument, topics, isAnswer, next, join } = tool.waiting;
  let input = parseInput(tool, args);
  const seconds = input[secondsArgument] as number;
  const look = async (hasWaitPlace = false): Promise<CachedResult> =>
    results.run(
      tool,
      { ...input, [secondsArgument]: 0 },
      { ...context, caller: { ...context.caller, hasWaitPlace } },
    );
  if (seconds === 0) return look();
  const waiter = waiters.register(topics(input as never), seconds * 1000, context.signal);
  let leave = (): void => undefined;
  try {
    let result = await look();
    let output: Fields = result.output;
    if (isAnswer(output as never)) return result;
    leave = waitLimit.acquire(context.caller);
    for (let hasTime = true; hasTime && !isAnswer(output as never); ) {
      hasTime = await waiter.woken();
      if (context.signal.aborted) break;
      input = next(input as never, output as never) as Fields;
      const found = await look(true).catch(() => undefined);
      if (found === undefined) break;
      output = join(output as never, found.output as never) as Fields;
      result = output === found.output ? found : withOutput(found, output);
    }
    return result;
  } finally {
    waiter.release();
    leave();
  }
}

function withOutput({ input }: CachedResult, output: Fields): CachedResult {
  return new CachedResult({ input, output, text: JSON.stringify(output) });
}
