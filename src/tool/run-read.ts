import type { ServerResponse } from 'node:http';
import { CachedResult } from './cached-result.ts';
import { parseInput } from './call-tool.ts';
import { type AnyTool, type Context, type Fields, sharedArguments } from './define-tool.ts';
import type { ResultCache } from './result-cache.ts';

/**
 * Runs a read through the cache. A tool that can wait reads again after each change, if it found nothing and
 * the call asks it to wait.
 *
 *     runRead(resultCache, readFeed, { limit: 5 }, context)                       a hit returns at once
 *     runRead(resultCache, waitForMessages, { after, waitSeconds: 25 }, context)  waits at most 25 seconds
 *
 * @param context waits only with a `signal`
 * @throws WorkspaceError
 */
export function runRead(
  resultCache: ResultCache,
  tool: AnyTool,
  args: unknown,
  context: Context,
): Promise<CachedResult> {
  return canWait(tool)
    ? waitForResult(resultCache, tool, args, context)
    : resultCache.run(tool, args, context);
}

export type WaitingTool = AnyTool & Required<Pick<AnyTool, 'waiting'>>;

export function canWait(tool: AnyTool): tool is WaitingTool {
  return tool.waiting !== undefined;
}

/**
 * Reads, and reads again after every change that may concern the call. Every read is an ordinary cached read,
 * which equal calls share. If one fails during the wait, the call ends with the result of the previous read.
 * @throws WorkspaceError only
 */
export async function waitForResult(
  resultCache: ResultCache,
  tool: WaitingTool,
  args: unknown,
  context: Context,
): Promise<CachedResult> {
  const { workspace, signal } = context;
  const { waiters, waitLimit } = workspace;
  const { waiting } = tool;
  const input = parseInput(tool, args);
  const seconds = signal === undefined ? 0 : (input[waiting.secondsArgument] as number);
  /** @returns the page that the arguments ask for, or the page after `found` */
  const read = async (found?: Fields, hasWaitPlace = false): Promise<CachedResult> => {
    const query = found === undefined ? input : (waiting.next(input, found) as Fields);
    const caller = { ...context.caller, hasWaitPlace };
    const result = await readForCaller(resultCache, tool, query, { ...context, caller });
    if (found === undefined) return result;
    const output = waiting.join(found, result.output) as Fields;
    return output === result.output ? result : withOutput(result.input, output);
  };
  if (signal === undefined || seconds === 0) return read();
  const waiter = waiters.register(waiting.topics(input), seconds * 1000, signal);
  let leave = (): void => undefined;
  try {
    let result = await read();
    if (waiting.isAnswer(result.output)) return result;
    leave = waitLimit.acquire(context.caller);
    for (let hasTime = true; hasTime; ) {
      hasTime = await waiter.woken();
      if (signal.aborted) break;
      const found = await read(result.output, true).catch(() => undefined);
      if (found === undefined) break;
      result = found;
      if (waiting.isAnswer(result.output)) return result;
    }
    return withOutput(result.input, waiting.timeOut(result.output) as Fields);
  } finally {
    waiter.release();
    leave();
  }
}

/** @returns a signal that is aborted when the client closes the connection before the response ends */
export function watchClosing(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  response.once('close', () => {
    // After a complete response an abort is useless: its error with a stack costs a tenth of a response.
    if (!response.writableEnded) closed.abort();
  });
  return closed.signal;
}

async function readForCaller(
  resultCache: ResultCache,
  tool: WaitingTool,
  input: Fields,
  context: Context,
): Promise<CachedResult> {
  const { secondsArgument, perCaller } = tool.waiting;
  const run = (args: object): Promise<CachedResult> =>
    resultCache.run(tool, { ...args, [secondsArgument]: 0 }, context);
  const isOwn = ([name, value]: [string, unknown]): boolean =>
    perCaller?.arguments.includes(name) === true && value !== undefined;
  const given = Object.entries(input).filter(isOwn);
  if (perCaller === undefined || given.length === 0) return run(input);
  const shared = Object.fromEntries(Object.entries(input).filter((entry) => !isOwn(entry)));
  const result = await run(shared);
  const readWith = async (args: object): Promise<object> => (await run(args)).output;
  const output = (await perCaller.narrow(input, result.output, readWith, context.workspace)) as Fields;
  // The next page belongs to the same call, so its input keeps the caller's arguments, but never the key.
  const ownInput = { ...result.input, ...sharedArguments(tool, Object.fromEntries(given)) };
  return output === result.output
    ? new CachedResult({ input: ownInput, output, text: result.text })
    : withOutput(ownInput, output);
}

function withOutput(input: Fields, output: Fields): CachedResult {
  return new CachedResult({ input, output, text: JSON.stringify(output) });
}
