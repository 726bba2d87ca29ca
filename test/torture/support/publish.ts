import type { Client } from '@modelcontextprotocol/sdk/client/index.js';

export interface Post {
  readonly id: string;
  readonly message: string;
  readonly createdAt: string;
  /** Only in the answer to a write. */
  readonly duplicate?: boolean;
}

/** What a write is answered: the post, or a code. */
export interface Reply {
  readonly post: Post | undefined;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
}

/** Publishes through one of the doors. Throws where the connection breaks. */
export type Write = (message: string, key?: string) => Promise<Reply>;

/** Long enough for a write to a process that is stopped for a while. */
const PATIENCE_MS = 60_000;

const published = (post: Post): Reply => ({ post, code: undefined, retryAfter: undefined });

const post = (url: string, headers: Record<string, string>, body: object): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });

export const overRest =
  (url: string): Write =>
  async (message, key) => {
    const answer = await post(`${url}/api/feed`, key === undefined ? {} : { 'Idempotency-Key': key }, {
      message,
    });
    const body = (await answer.json()) as Post & { code: string };
    if (answer.status === 201) return published(body);
    const retryAfter = answer.headers.get('Retry-After');
    return {
      post: undefined,
      code: body.code,
      retryAfter: retryAfter === null ? undefined : Number(retryAfter),
    };
  };

interface Refusal {
  code: string;
  retryAfterSeconds?: number;
}

interface Result {
  isError?: boolean;
  structuredContent?: Post;
  content: { text: string }[];
}

function replyOf({ isError, structuredContent, content: [block] }: Result): Reply {
  if (isError !== true) return published(structuredContent!);
  const { code, retryAfterSeconds } = JSON.parse(block!.text) as Refusal;
  return { post: undefined, code, retryAfter: retryAfterSeconds };
}

const MCP_HEADERS = { Accept: 'application/json, text/event-stream' };

const paramsOf = (message: string, key?: string) => ({
  name: 'post_message',
  arguments: { message, ...(key !== undefined && { idempotencyKey: key }) },
});

/** Without an initialize before it, since the service keeps no sessions. */
export const overMcp =
  (url: string): Write =>
  async (message, key) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: paramsOf(message, key) };
    const answer = await post(`${url}/mcp`, MCP_HEADERS, call);
    const { result, error } = (await answer.json()) as { result?: Result; error?: { data: Refusal } };
    if (result !== undefined) return replyOf(result);
    return {
      post: undefined,
      code: error!.data.code,
      retryAfter: Number(answer.headers.get('Retry-After') ?? undefined),
    };
  };

export const overStdio =
  (client: Client): Write =>
  async (message, key) =>
    replyOf(
      (await client.callTool(paramsOf(message, key), undefined, {
        timeout: PATIENCE_MS,
      })) as unknown as Result,
    );

/** Four writers over REST and four over MCP. */
export const eightWriters = (url: string): Write[] =>
  Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? overRest(url) : overMcp(url)));
