import { NewsOutline } from '#workspace/schemas/news.ts';
import { CommandError, UsageError } from './command.ts';
import { printable } from './printable.ts';

/**
 * Sends a GET request, and aborts it and its body after the timeout in milliseconds with an error named
 * TimeoutError. Returns a redirect as it is.
 */
export type Fetch = (address: URL, timeoutMs: number) => Promise<Response>;

/** The result of one call of `GET /api/updates`. */
export interface Updates {
  /** The whole answer as JSON of one line. */
  readonly text: string;
  /** The number of messages or threads in it. */
  readonly count: number;
  readonly nextAfter: string;
  readonly unknownPosts: readonly string[];
}

/** A call that failed temporarily. */
export interface TemporaryFailure {
  /** A part of a sentence. */
  readonly failure: string;
  readonly isTimeout: boolean;
  /** Whether anything responded. */
  readonly hasResponded: boolean;
  /** Seconds of `Retry-After`. */
  readonly retryAfter?: number | undefined;
}

/** 50 messages of 8,000 characters, four bytes each, take less than 2 MiB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** The longest error text of the service that is printed. */
const MAX_DETAIL_CHARACTERS = 1000;

/**
 * Calls `GET /api/updates` once.
 * @throws UsageError if the service refuses the arguments; CommandError if no later call can succeed
 */
export async function requestUpdates(
  fetch: Fetch,
  address: URL,
  timeoutMs: number,
): Promise<Updates | TemporaryFailure> {
  let response: Response | undefined;
  let text: string;
  try {
    response = await fetch(address, timeoutMs);
    refuseRedirect(response.status);
    text = await readText(response);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const isTimeout = (error as Error).name === 'TimeoutError';
    const failure = isTimeout ? 'no complete answer in time' : describeNetworkError(error);
    return { failure, isTimeout, hasResponded: response !== undefined };
  }
  const { status, headers } = response;
  if (status === 429 || status >= 500) {
    const retryAfter = parseSeconds(headers.get('Retry-After'));
    return { failure: `status ${status}`, isTimeout: false, hasResponded: true, retryAfter };
  }
  if (status === 422) throw new UsageError(readDetail(text) ?? 'The service refuses the arguments.');
  if (status !== 200) throw new CommandError(describeRefusal(status, text));
  if (!/^application\/json\b/.test(headers.get('Content-Type') ?? ''))
    throw new CommandError(`The answer is not JSON. ${RIGHT_ADDRESS}`);
  const answer = parseJson(text);
  // A proxy may end a response in the middle as if it were complete.
  if (answer === undefined)
    return { failure: 'the answer was cut off', isTimeout: false, hasResponded: true };
  return toUpdates(answer, text);
}

const RIGHT_ADDRESS =
  'Give the address of the service itself, without /mcp or /api at its end, such as http://127.0.0.1:8787.';

function refuseRedirect(status: number): void {
  if (status >= 300 && status < 400)
    throw new CommandError(
      `The service redirects to another address (status ${status}). Give the address that it redirects to.`,
    );
}

/** @throws CommandError if the body is longer than any answer */
async function readText({ body }: Response): Promise<string> {
  const source: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = body ?? [];
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      throw new CommandError(`The answer is longer than any answer of this service. ${RIGHT_ADDRESS}`);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

function toUpdates(answer: unknown, text: string): Updates {
  const { data } = NewsOutline.safeParse(answer);
  if (data === undefined) throw new CommandError(`The answer is not one of /api/updates. ${RIGHT_ADDRESS}`);
  const { messages, threads, nextAfter, unknownPosts } = data;
  // JSON escapes these characters in strings, so here they are white space between tokens.
  const line = text.trim().replaceAll(/[\t\n\r]+/g, ' ');
  return { text: printable(line), count: messages.length + threads.length, nextAfter, unknownPosts };
}

function describeRefusal(status: number, text: string): string {
  if (status === 404) return `The service has no /api/updates (status 404). ${RIGHT_ADDRESS}`;
  const detail = readDetail(text);
  return `The service answers with status ${status}${detail === undefined ? '.' : `: ${detail}`}`;
}

/** Reads `detail` of a problem document (RFC 9457). */
function readDetail(text: string): string | undefined {
  const { detail } = (parseJson(text) ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? printable(detail.slice(0, MAX_DETAIL_CHARACTERS)) : undefined;
}

/** @returns undefined if the text is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses `Retry-After`. @returns undefined for a date, which the service does not send */
function parseSeconds(retryAfter: string | null): number | undefined {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

/** `fetch` wraps the reason in a TypeError. */
function describeNetworkError(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return printable(typeof code === 'string' ? code : message);
}
