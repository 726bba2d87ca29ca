import { escapeLineBreaks } from '#runtime/json.ts';
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RpcResponse } from '#tool/cached-result.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { MAX_SILENT_SECONDS, startKeepAlive, UNBUFFERED } from '#workspace/waiting/keep-alive.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { CAPABILITIES } from '#mcp/handlers/initialize.ts';
import { isListen } from '#mcp/handlers/subscriptions.ts';
import { progressNotice, toCall, type Wait } from '#mcp/protocol/call.ts';
import {
  INVALID_MESSAGE,
  isInitialize,
  isMessage,
  isRequest,
  ProtocolError,
  RPC,
  namesRevision,
  type Message,
} from '#mcp/protocol/json-rpc.ts';
import { PROTOCOL_VERSIONS } from '#mcp/protocol/revisions.ts';
import {
  type Answer,
  createFastPath,
  createNotificationQueue,
  type McpHttpRequest,
  type McpHttpResponse,
  type SdkHttpHandler,
} from './transport.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import type { WaitLimit } from '#workspace/waiting/waiters.ts';

export interface McpHttpExchange extends McpHttpRequest {
  readonly response: ServerResponse;
  /** Whether the client accepts an event stream. */
  readonly mayStream: boolean;
  /** The headers of every response. */
  readonly headers: OutgoingHttpHeaders;
}

/** The longest message that is kept until its response. A subscription to a hundred resources is shorter. */
const MAX_KEPT_CHARACTERS = 32_000;

/** Loads both SDKs. @returns them in the order in which they are asked to validate a message */
export type LoadSdks = () => Promise<readonly SdkHttpHandler[]>;

/**
 * MCP over Streamable HTTP, without sessions: any instance serves any request. `src/http/mcp-messages.ts`
 * reads the body of a POST, calls `answer`, and `receive` if that returns undefined: then an SDK validates
 * the message before `handlers.answer` gets its call. The first such message loads both SDKs.
 */
export function createMcpEndpoint(handlers: McpHandlers, load: LoadSdks) {
  const findAnswer = createFastPath(handlers, CAPABILITIES);
  let loading: Promise<readonly SdkHttpHandler[]> | undefined;

  async function serve(message: Message, exchange: McpHttpExchange): Promise<RpcResponse | undefined> {
    const { request, caller } = exchange;
    const wait = handlers.waitOf(message);
    let answer = findAnswer(message, request.headers);
    try {
      if (wait !== undefined || isListen(message)) checkKept(message);
      if (answer === undefined) await loadOnce();
    } catch (error) {
      if (!isRequest(message)) throw error;
      return handlers.fail(toCall(message, namesRevision(message)), error);
    }
    answer ??= await validate(message, exchange);
    if (answer === undefined) return undefined;
    return wait === undefined ? answer(caller) : answerWait(wait, exchange, answer);
  }

  function loadOnce(): Promise<readonly SdkHttpHandler[]> {
    loading ??= load().catch((error: unknown) => {
      // A later message tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  }

  /** @returns the answer to a call that an SDK accepts; undefined if the response of an SDK was sent */
  async function validate(message: Message, exchange: McpHttpExchange): Promise<Answer | undefined> {
    for (const sdk of await loadOnce()) {
      const validated = await sdk.validate(message, exchange);
      if (validated === undefined) continue;
      if ('call' in validated) return (to, signal) => handlers.answer(validated.call, to, signal);
      await send(validated.response, exchange.response, exchange.headers);
      return undefined;
    }
    throw new Error('no SDK serves the message');
  }

  return {
    protocolVersions: PROTOCOL_VERSIONS,
    invalidMessage: INVALID_MESSAGE,
    answer: (message: unknown, headers: IncomingHttpHeaders, caller: Caller) => {
      const answer = findAnswer(message, headers);
      return answer === undefined || handlers.waitOf(message) !== undefined ? undefined : answer(caller);
    },
    receive: (body: unknown) =>
      isMessage(body)
        ? {
            needsVersionHeader: !namesRevision(body) && !isInitialize(body),
            isStream: isListen(body),
            serve: (exchange: McpHttpExchange) => serve(body, exchange),
          }
        : undefined,
    close: async (): Promise<void> => {
      for (const sdk of (await loading) ?? []) await sdk.close();
    },
  };
}

/** @throws ProtocolError invalidRequest for a message that is too long to be kept while a client waits */
function checkKept(message: Message): void {
  if (JSON.stringify(message).length <= MAX_KEPT_CHARACTERS) return;
  throw new ProtocolError(
    RPC.invalidRequest,
    `A waiting call may have at most ${MAX_KEPT_CHARACTERS} characters: leave out what it does not need.`,
  );
}

/**
 * Answers a call that may wait, after `KEEP_ALIVE_SECONDS` with a stream of events if the client accepts one.
 * @returns undefined if the response was sent here, or if the client has closed the connection
 */
async function answerWait(
  wait: Wait,
  { response, caller, mayStream, headers, clientClosed }: McpHttpExchange,
  answer: Answer,
): Promise<RpcResponse | undefined> {
  const signal = clientClosed();
  const keepAlive = (elapsed: number): void => {
    if (!response.headersSent)
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', ...UNBUFFERED });
    const notice = progressNotice(wait, elapsed);
    response.write(notice === undefined ? ': waiting\n\n' : toEvent(JSON.stringify(notice)));
  };
  const stopKeepAlive =
    wait.seconds > MAX_SILENT_SECONDS && mayStream ? startKeepAlive(keepAlive) : () => undefined;
  try {
    const reply = await answer(caller, signal);
    if (signal.aborted) return undefined;
    if (!response.headersSent) return reply;
    response.end(toEvent(`${reply.before.toString()}${reply.after}`));
    return undefined;
  } finally {
    stopKeepAlive();
  }
}

const toEvent = (json: string): string => `event: message\ndata: ${escapeLineBreaks(json)}\n\n`;

async function send(
  { status, headers, body }: McpHttpResponse,
  response: ServerResponse,
  common: OutgoingHttpHeaders,
): Promise<void> {
  if (typeof body === 'string') {
    const all = { ...common, 'content-type': 'application/json', ...headers };
    response.writeHead(status, { ...all, 'content-length': Buffer.byteLength(body) }).end(body);
    return;
  }
  response.writeHead(status, { ...common, ...headers });
  if (body === undefined) response.end();
  else await stream(body, response);
}

/**
 * Cancels the stream when the response closes. The signal of the web `Request` is not enough: once that is
 * garbage collected it no longer follows the signal (nodejs/undici#3644).
 */
async function stream(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => {
    reader.cancel().catch(() => undefined);
  };
  response.once('close', cancel);
  // A response that closed earlier does not emit `close` again.
  if (response.destroyed) cancel();
  const write = createNotificationQueue(response);
  const decoder = new TextDecoder();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    write(decoder.decode(read.value, { stream: true }));
  response.end();
}

const RETRY_SECONDS = 60;

/**
 * Limits the open notification streams: per network together with its waiting calls, and in total.
 * @returns a function that reserves a stream, and returns one that releases it
 */
export function createStreamLimit(perNetwork: WaitLimit, max: number) {
  /** The functions that release the open streams. */
  const open = new Set<() => void>();
  /** @throws WorkspaceError rate_limited */
  return (caller: Caller): (() => void) => {
    if (open.size >= max) {
      throw new WorkspaceError('rate_limited', 'Every stream of this server is in use; try again later.', {
        limit: 'streams',
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    const leave = perNetwork.acquire(caller);
    open.add(leave);
    return () => {
      open.delete(leave);
      leave();
    };
  };
}
