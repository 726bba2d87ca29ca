import { NewsOutline } from '#workspace/schemas/news.ts';
import { CommandError, UsageError } from './command.ts';
import { printable } from './printable.ts';
import {
  CUT_OFF,
  describeRefusal,
  parseJson,
  readDetail,
  requestService,
  RIGHT_ADDRESS,
  type Fetch,
  type TemporaryFailure,
} from './service-request.ts';

export interface Updates {
  /** The whole answer as JSON of one line. */
  readonly text: string;
  readonly count: number;
  readonly nextAfter: string;
  readonly unknownPosts: readonly string[];
}

/** 50 messages of 8,000 characters, four bytes each, take less than 2 MiB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Calls `GET /api/updates` once.
 * @throws UsageError if the service refuses the arguments; CommandError if no later call can succeed
 */
export async function requestUpdates(
  fetch: Fetch,
  address: URL,
  timeoutMs: number,
): Promise<Updates | TemporaryFailure> {
  const response = await requestService(fetch, address, { timeoutMs, maxBytes: MAX_ANSWER_BYTES });
  if ('failure' in response) return response;
  const { status, type, text } = response;
  if (status === 422) throw new UsageError(readDetail(text) ?? 'The service refuses the arguments.');
  if (status !== 200) throw new CommandError(describeRefusal(response, '/api/updates'));
  if (type !== 'application/json') throw new CommandError(`The answer is not JSON. ${RIGHT_ADDRESS}`);
  const answer = parseJson(text);
  return answer === undefined ? CUT_OFF : toUpdates(answer, text);
}

function toUpdates(answer: unknown, text: string): Updates {
  const { data } = NewsOutline.safeParse(answer);
  if (data === undefined) throw new CommandError(`The answer is not one of /api/updates. ${RIGHT_ADDRESS}`);
  const { messages, threads, nextAfter, unknownPosts } = data;
  // JSON escapes these characters in strings, so here they are white space between tokens.
  const line = text.trim().replaceAll(/[\t\n\r]+/g, ' ');
  return { text: printable(line), count: messages.length + threads.length, nextAfter, unknownPosts };
}
