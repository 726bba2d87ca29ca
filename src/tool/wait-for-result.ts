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
  return canWait(tool) ? waitForResult(results, tool, args, context) : results.run(tool, args, context);
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
  context: Context,
  earlier?: Fields,
): Promise<CachedResult> {
  const { workspace, signal } = context;
  const { waiters, waitLimit } = workspace;
  const { secondsArgument, topics, isAnswer, next, join, timeOut } = tool.waiting;
  const input = parseInput(tool, args);
  const seconds = signal === undefined ? 0 : (input[secondsArgument] as number);
  /** @returns the page of the arguments, or behind what the call has found */
  const look = async (found?: Fields, hasWaitPlace = false): Promise<CachedResult> => {
    const query = found === undefined ? input : (next(input as never, found as never) as Fields);
    const caller = { ...context.caller, hasWaitPlace };
    const result = await lookOnce(results, tool, query, { ...context, caller });
    if (found === undefined) return result;
    const output = join(found as never, result.output as never) as Fields;
    return output === result.output ? result : withOutput(result.input, output);
  };
  if (signal === undefined || seconds === 0) return look();
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
    return withOutput(result.input, timeOut(result.output as never) as Fields);
  } finally {
    waiter.release();
    leave();
  }
}

/** @param input validated arguments */
async function lookOnce(
  results: ResultCache,
  tool: WaitingTool,
  input: Fields,
  context: Context,
): Promise<CachedResult> {
  const { secondsArgument, own } = tool.waiting;
  const run = async (args: object): Promise<CachedResult> =>
    results.run(tool, { ...args, [secondsArgument]: 0 }, context);
  if (own === undefined || input[own.argument] === undefined) return run(input);
  const { [own.argument]: value, ...shared } = input;
  const result = await run(shared);
  const lookWith = async (args: object): Promise<never> => (await run(args)).output as never;
  const output = (await own.narrow(input as never, result.output as never, lookWith)) as Fields;
  // The next page is that of the same call.
  const ownInput = { ...result.input, [own.argument]: value };
  return output === result.output
    ? new CachedResult({ input: ownInput, output, text: result.text })
    : withOutput(ownInput, output);
}

function withOutput(input: Fields, output: Fields): CachedResult {
  return new CachedResult({ input, output, text: JSON.stringify(output) });
}
