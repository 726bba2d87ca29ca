/** A post as a write answers it, without its text. */
export interface Receipt {
  readonly id: string;
  readonly createdAt: string;
}

/** The response to a write: of the stored post, or an error code. */
export interface Reply {
  readonly post: Receipt | undefined;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;
}

/** Publishes over one surface. Rejects if the connection breaks. */
export type Publish = (message: string, key?: string) => Promise<Reply>;

/** Long enough for a write to a process that is stopped with SIGSTOP. */
const RESPONSE_TIMEOUT_MS = 60_000;

const stored = (post: Receipt): Reply => ({ post, code: undefined, retryAfter: undefined });

const post = (
  url: string,
  headers: Record<string, string>,
  body: object,
  request = fetch,
): Promise<Response> =>
  request(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });

export const overRest =
  (url: string, request = fetch): Publish =>
  async (message, key) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'Idempotency-Key': key };
    const response = await post(`${url}/api/feed`, headers, { message }, request);
    const body = (await response.json()) as Receipt & { code: string };
    if (response.status === 201) return stored(body);
    const retryAfter = response.headers.get('Retry-After');
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
  structuredContent?: Receipt;
  content: { text: string }[];
}

function replyOf({ isError, structuredContent, content: [block] }: Result): Reply {
  if (isError !== true) return stored(structuredContent!);
  const { code, retryAfterSeconds } = JSON.parse(block!.text) as Refusal;
  return { post: undefined, code, retryAfter: retryAfterSeconds };
}

const MCP_HEADERS = { Accept: 'application/json, text/event-stream' };

const paramsOf = (message: string, key?: string) => ({
  name: 'post_message',
  arguments: { message, ...(key !== undefined && { idempotencyKey: key }) },
});

/** Without `initialize`, since the service has no sessions. */
export const overMcp =
  (url: string): Publish =>
  async (message, key) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: paramsOf(message, key) };
    const response = await post(`${url}/mcp`, MCP_HEADERS, call);
    const { result, error } = (await response.json()) as { result?: Result; error?: { data: Refusal } };
    if (result !== undefined) return replyOf(result);
    return {
      post: undefined,
      code: error!.data.code,
      retryAfter: Number(response.headers.get('Retry-After') ?? undefined),
    };
  };
