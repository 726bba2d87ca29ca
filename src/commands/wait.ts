import { parseJson } from '#runtime/json.ts';
import { MAX_WAIT_SECONDS, NewsOutline } from '#workspace/schemas/news.ts';
import { CommandError, type CommandOutput, parseDuration, UsageError } from './command.ts';
import { printable } from './printable.ts';
import {
  toServiceUrl,
  type Fetch,
  CUT_OFF,
  PROXY,
  describeRefusal,
  requestService,
  Retries,
  RIGHT_URL,
  withQuery,
} from './service-request.ts';

/** Filters, in the names of `GET /api/updates`. */
export type WaitQuery = Readonly<
  Partial<Record<'after' | 'posts' | 'except' | 'prefix' | 'q' | 'any' | 'view', string>>
>;

export interface WaitOptions {
  readonly url: string;
  readonly query: WaitQuery;
  /** In the form of `parseDuration`, such as `8h`. */
  readonly duration: string;
}

export interface WaitContext {
  readonly fetch: Fetch;
  /** Wall-clock time in milliseconds since 1970, which goes on while the machine is suspended. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const FIRST_RESPONSE_TIMEOUT_MS = 60_000;

/** Including the pause after it. A service that stops ends waits early, and a broken one does not wait. */
const MIN_CALL_MS = 1000;

/** The time for a request in addition to its wait, in which the service sends a blank every 15 seconds. */
const GRACE_MS = 30_000;

/**
 * Prints the first response with a message as one line of JSON.
 * @throws UsageError for a wrong argument; CommandError if no call succeeds, or without a message
 */
export async function wait(
  { url, query, duration }: WaitOptions,
  { fetch, now, sleep }: WaitContext,
  { printResult, logStatus }: Pick<CommandOutput, 'printResult' | 'logStatus'>,
): Promise<void> {
  const updatesUrl = `${toServiceUrl(url)}/api/updates`;
  const start = now();
  const end = start + parseDuration(duration, '--for');
  const retries = new Retries(Math.min(end, start + FIRST_RESPONSE_TIMEOUT_MS), logStatus);
  let { after } = query;
  let hasSucceeded = false;
  for (;;) {
    const askedAt = now();
    const rest = end - askedAt;
    if (rest <= 0) break;
    // The first call does not wait: it shows whether a service is there, and from which cursor to continue.
    const waitMs = !hasSucceeded ? 0 : Math.min(Math.ceil(rest / 1000), MAX_WAIT_SECONDS) * 1000;
    const request = withQuery(updatesUrl, { ...query, after, wait: String(waitMs / 1000) });
    const outcome = await requestUpdates(fetch, request, Math.min(waitMs + GRACE_MS, rest));
    let pause = 0;
    if ('failure' in outcome) {
      // The time is over, which cut off the last wait.
      if (outcome.isTimeout && waitMs >= rest) break;
      pause = retries.pauseAfter(outcome, now());
    } else {
      retries.succeed();
      if (outcome.count > 0) {
        printResult(outcome.text);
        return;
      }
      const posts = query.posts?.split(',') ?? [];
      const unknown = posts.filter((id) => outcome.unknownPosts.includes(id));
      if (unknown.length > 0 && unknown.length === posts.length)
        throw new CommandError(`None of these posts is visible, so no reply can arrive: ${posts.join(', ')}`);
      if (!hasSucceeded && unknown.length > 0)
        logStatus(`These posts are not visible, so they get no replies: ${unknown.join(', ')}`);
      hasSucceeded = true;
      if (waitMs > 0) pause = MIN_CALL_MS - (now() - askedAt);
      after = outcome.nextAfter;
    }
    pause = Math.min(pause, end - now());
    if (pause > 0) await sleep(pause);
  }
  if (!hasSucceeded)
    throw new CommandError(`No call succeeded within ${duration} (${retries.lastFailure}). ${PROXY}`);
  const cause = retries.lastFailure === undefined ? '' : ` The last call failed (${retries.lastFailure}).`;
  const advice = after === undefined ? '' : ` To continue from here: --after ${printable(after)}`;
  throw new CommandError(`No message within ${duration}.${cause}${advice}`, 'incomplete');
}

/** 50 messages of 8,000 characters of four bytes take less than 2 MiB. */
const MAX_BYTES = 8 * 1024 * 1024;

/** @throws UsageError if the service refuses the arguments; CommandError if no later call can succeed */
async function requestUpdates(fetch: Fetch, url: URL, timeoutMs: number) {
  const response = await requestService(fetch, url, { timeoutMs, maxBytes: MAX_BYTES });
  if ('failure' in response) return response;
  const { status, type, text } = response;
  if (status === 422) throw new UsageError(describeRefusal(response, '/api/updates'));
  if (status !== 200) throw new CommandError(describeRefusal(response, '/api/updates'));
  if (type !== 'application/json') throw new CommandError(`The response is not JSON. ${RIGHT_URL}`);
  const body = parseJson(text);
  if (body === undefined) return CUT_OFF;
  const { data } = NewsOutline.safeParse(body);
  if (data === undefined) throw new CommandError(`The response is not from /api/updates. ${RIGHT_URL}`);
  const { messages, threads, nextAfter, unknownPosts } = data;
  // JSON escapes these characters in strings, so here they are white space between tokens.
  const line = printable(text.trim().replaceAll(/[\t\n\r]+/g, ' '));
  return { text: line, count: messages.length + threads.length, nextAfter, unknownPosts };
}
