import { parseJson } from '#runtime/json.ts';
import { CommandError, UsageError } from './command.ts';
import { printable } from './printable.ts';

/** Follows no redirects. After the timeout it rejects with an error named TimeoutError. */
export type Fetch = (url: URL, timeoutMs: number) => Promise<Response>;

export interface TemporaryFailure {
  /** Part of a sentence. */
  readonly failure: string;
  readonly isTimeout: boolean;
  readonly hasResponded: boolean;
  /** Seconds of `Retry-After`. */
  readonly retryAfter?: number | undefined;
}

/** A complete response of a service, with a status other than 429, 3xx and 5xx. */
export interface ServiceResponse {
  readonly status: number;
  /** The media type, without parameters. */
  readonly type: string;
  readonly text: string;
}

/** The maximum length of an error text of the service that is printed. */
const MAX_DETAIL_CHARACTERS = 1000;

export const RIGHT_URL =
  'Give the URL of the service itself, without /mcp or /api at the end, such as http://127.0.0.1:8787.';

/** @throws UsageError */
export function toServiceUrl(url: string): string {
  const { protocol, origin, pathname, username, password } = URL.canParse(url) ? new URL(url) : NO_URL;
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw new UsageError(
      'URL must begin with http:// or https:// and contain no user name or password, such as ' +
        'http://127.0.0.1:8787.',
    );
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

const NO_URL = new URL('about:blank');

export function withQuery(base: string, query: Readonly<Record<string, string | undefined>>): URL {
  const request = new URL(base);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) request.searchParams.set(name, value);
  return request;
}

/**
 * Sends a GET request to a service that may be hostile.
 * @throws CommandError for a body longer than `maxBytes`, and if no later call can succeed
 */
export async function requestService(
  fetch: Fetch,
  url: URL,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
): Promise<ServiceResponse | TemporaryFailure> {
  let response: Response | undefined;
  let text: string;
  try {
    response = await fetch(url, timeoutMs);
    if (response.status >= 300 && response.status < 400)
      throw new CommandError(
        `The service redirects to another URL (status ${response.status}). Give the URL that it ` +
          'redirects to.',
      );
    text = await readText(response, maxBytes);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const isTimeout = (error as Error).name === 'TimeoutError';
    const failure = isTimeout ? 'no complete response in time' : describeNetworkError(error);
    return { failure, isTimeout, hasResponded: response !== undefined };
  }
  const { status, headers } = response;
  if (status === 429 || status >= 500) {
    // The service sends seconds, never a date.
    const [seconds] = /^\d+$/.exec(headers.get('Retry-After') ?? '') ?? [];
    const retryAfter = seconds === undefined ? undefined : Number(seconds);
    return { failure: `status ${status}`, isTimeout: false, hasResponded: true, retryAfter };
  }
  const [type = ''] = (headers.get('Content-Type') ?? '').split(';');
  return { status, type: type.trim(), text };
}

/** The failure of a response that ends early but looks complete, as some proxies send it. */
export const CUT_OFF: TemporaryFailure = {
  failure: 'the response was cut off',
  isTimeout: false,
  hasResponded: true,
};

/** @returns a sentence about a response that is neither 200 nor a temporary failure */
export function describeRefusal({ status, text }: ServiceResponse, path: string): string {
  if (status === 404) return `The service has no ${path} (status 404). ${RIGHT_URL}`;
  const { detail } = readProblem(text);
  if (typeof detail !== 'string') return `The service responded with status ${status}.`;
  const quoted = printable(JSON.stringify(detail.slice(0, MAX_DETAIL_CHARACTERS)));
  return `The service responded with status ${status}: ${quoted}`;
}

/** Reads a problem document (RFC 9457). @returns an empty object for any other text */
export const readProblem = (text: string): { readonly code?: unknown; readonly detail?: unknown } =>
  parseJson(text) ?? {};

/** @throws CommandError if the body is longer than any response */
async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const source: AsyncIterable<Uint8Array> | Iterable<Uint8Array> = body ?? [];
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const chunk of source) {
    text += decoder.decode(chunk, { stream: true });
    length += chunk.length;
    if (length > maxBytes)
      throw new CommandError(`The response is longer than any response of this service. ${RIGHT_URL}`);
  }
  return text + decoder.decode();
}

/** `fetch` wraps the reason in a TypeError. */
function describeNetworkError(error: unknown): string {
  const { cause = error } = error as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return printable(typeof code === 'string' ? code : message);
}

export const PROXY = 'Node 24 and later use the proxy in HTTP_PROXY if NODE_USE_ENV_PROXY=1 is set.';

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

export class Retries {
  readonly #firstResponseBy: number;
  readonly #logStatus: (line: string) => void;
  #hasResponded = false;
  #failures = 0;
  #lastFailure: string | undefined;

  /** @param firstResponseBy milliseconds since 1970; without a response until then, the URL is wrong */
  constructor(firstResponseBy: number, logStatus: (line: string) => void) {
    this.#firstResponseBy = firstResponseBy;
    this.#logStatus = logStatus;
  }

  succeed(): void {
    this.#hasResponded = true;
    this.#failures = 0;
    this.#lastFailure = undefined;
  }

  /** The failure of the last call; undefined if it succeeded. */
  get lastFailure(): string | undefined {
    return this.#lastFailure;
  }

  /** @returns milliseconds until the next call @throws CommandError if nothing ever responded */
  pauseAfter({ failure, hasResponded, retryAfter }: TemporaryFailure, now: number): number {
    this.#hasResponded ||= hasResponded;
    if (!this.#hasResponded && now >= this.#firstResponseBy)
      throw new CommandError(`Nothing responds at this URL (${failure}). ${PROXY}`);
    if (failure !== this.#lastFailure) this.#logStatus(`A call failed (${failure}); trying again.`);
    this.#lastFailure = failure;
    this.#failures += 1;
    return retryAfter === undefined
      ? Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS)
      : Math.max(retryAfter * 1000, FIRST_PAUSE_MS);
  }
}
