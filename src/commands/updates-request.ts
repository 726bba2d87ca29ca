import { CommandError, UsageError } from './command.ts';
import { printable } from './printable.ts';

/** Sends a GET request, and aborts it and its body after the timeout in milliseconds. */
export type Fetch = (address: URL, timeoutMs: number) => Promise<Response>;

/** What one call of `GET /api/updates` returned. */
export interface Updates {
  /** The whole answer as JSON of one line. */
  readonly text: string;
  readonly messages: readonly unknown[];
  readonly nextAfter: string;
  readonly more: boolean;
  readonly unknownPosts: readonly string[];
}

/** A call that failed in a way that may pass. */
export interface TemporaryFailure {
  /** Part of a sentence. */
  readonly failure: string;
  /** Whether anything responded. */
  readonly hasResponded: boolean;
  /** Seconds of `Retry-After`. */
  readonly retryAfter?: number | undefined;
}

/** What a connection may take beyond the wait. During the wait the service sends a blank every 15 seconds. */
const GRACE_MS = 30_000;

/** @throws UsageError if the service refuses the arguments; CommandError if no later call can succeed */
export async function requestUpdates(
  fetch: Fetch,
  address: URL,
  waitSeconds: number,
): Promise<Updates | TemporaryFailure> {
  let response: Response | undefined;
  let text: string;
  try {
    response = await fetch(address, waitSeconds * 1000 + GRACE_MS);
    text = await response.text();
  } catch (error) {
    return { failure: describeNetworkError(error), hasResponded: response !== undefined };
  }
  const { status, headers } = response;
  if (status === 429 || status >= 500)
    return {
      failure: `status ${status}`,
      hasResponded: true,
      retryAfter: secondsOf(headers.get('Retry-After')),
    };
  if (status === 422) throw new UsageError(detailOf(text) ?? 'The service refuses the arguments.');
  if (status !== 200) throw new CommandError(describeRefusal(status, text));
  if (!/^application\/json\b/.test(headers.get('Content-Type') ?? ''))
    throw new CommandError(`The answer is not JSON. ${RIGHT_ADDRESS}`);
  const updates = parseObject(text);
  // A proxy may end a response in the middle as if it were whole.
  if (updates === undefined) return { failure: 'the answer was cut off', hasResponded: true };
  return toUpdates(updates);
}

const RIGHT_ADDRESS =
  'Give the address of the service itself, without /mcp or /api behind it, such as http://127.0.0.1:8787.';

function toUpdates(answer: Readonly<Record<string, unknown>>): Updates {
  const { messages, nextAfter, more, unknownPosts } = answer;
  if (!Array.isArray(messages) || typeof nextAfter !== 'string')
    throw new CommandError(`The answer is not that of /api/updates. ${RIGHT_ADDRESS}`);
  return {
    text: printable(JSON.stringify(answer)),
    messages,
    nextAfter,
    more: more === true,
    unknownPosts: Array.isArray(unknownPosts) ? (unknownPosts as string[]) : [],
  };
}

function describeRefusal(status: number, text: string): string {
  if (status === 404) return `Nothing is at /api/updates there (status 404). ${RIGHT_ADDRESS}`;
  const detail = detailOf(text);
  return `The service answers with status ${status}${detail === undefined ? '.' : `: ${detail}`}`;
}

/** @returns `detail` of a problem document (RFC 9457) */
function detailOf(text: string): string | undefined {
  const { detail } = parseObject(text) ?? {};
  return typeof detail === 'string' ? printable(detail) : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns undefined for a date, which the service does not send */
function secondsOf(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

/** `fetch` wraps the reason in a TypeError. */
function describeNetworkError(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : message;
}
