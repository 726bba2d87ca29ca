import { escapeLineBreaks } from '#runtime/json.ts';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { McpEndpoint, McpExchange, McpMessage, RpcResponse } from '#tool/mcp-endpoint.ts';
import { watchClosing } from '#tool/run-read.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { MAX_SILENT_SECONDS, startKeepAlive, UNBUFFERED } from '#workspace/waiting/keep-alive.ts';
import type { McpHandlers } from '#mcp/handlers/mcp-handlers.ts';
import { CAPABILITIES } from '#mcp/handlers/initialize.ts';
import { isListen } from '#mcp/handlers/subscriptions.ts';
import { type Call, progressNotice, toCall, type Wait } from '#mcp/protocol/call.ts';
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
import type { SdkHttpHandler, SdkHttpResponse } from '#mcp/sdk/sdk-types.ts';
import { FastPath } from './fast-path.ts';
import { createNotificationQueue } from './notification-queue.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';
import type { WaitLimit } from '#workspace/waiting/waiters.ts';

/** The maximum length of a message that is kept while a client waits. 100 subscriptions are shorter. */
const MAX_KEPT_CHARACTERS = 32_000;

/** Loads both SDKs. @returns them in the order in which they are asked to validate a message */
export type LoadSdks = () => Promise<readonly SdkHttpHandler[]>;

interface HttpMessage extends McpMessage {
  readonly body: Message;
  /** Undefined if an SDK validates the message first. */
  readonly call: Call | undefined;
  /** Undefined for a message that gets its response at once. */
  readonly wait: Wait | undefined;
}

/**
 * MCP over Streamable HTTP, without sessions: any instance serves any request. `src/http/mcp-messages.ts`
 * reads the body of a POST and checks its headers. A call with a usual envelope needs no SDK. The first other
 * message loads both SDKs, and one of them validates it before `handlers.dispatch` gets its call.
 */
export function createMcpEndpoint(
  handlers: McpHandlers,
  load: LoadSdks,
): McpEndpoint & { close(): Promise<void> } {
  const fastPath = new FastPath(handlers, CAPABILITIES);
  let loading: Promise<readonly SdkHttpHandler[]> | undefined;

  function loadOnce(): Promise<readonly SdkHttpHandler[]> {
    loading ??= load().catch((error: unknown) => {
      // A later message tries again.
      loading = undefined;
      throw error;
    });
    return loading;
  }

  /** @returns the call that an SDK accepts; undefined if the response of an SDK was sent */
  async function validate(message: Message, exchange: McpExchange): Promise<Call | undefined> {
    for (const sdk of await loadOnce()) {
      const validated = await sdk.validate(message, exchange);
      if (validated === undefined) continue;
      if ('call' in validated) return validated.call;
      await send(validated.response, exchange.response, exchange.headers);
      return undefined;
    }
    throw new Error('no SDK serves the message');
  }

  async function respondLater(message: HttpMessage, exchange: McpExchange): Promise<RpcResponse | undefined> {
    const { body, wait } = message;
    try {
      if (wait !== undefined || message.isStream) checkKept(body);
      if (!message.isUsual) await loadOnce();
    } catch (error) {
      if (!isRequest(body)) throw error;
      return handlers.fail(toCall(body, namesRevision(body)), error);
    }
    const call = message.call ?? (await validate(body, exchange));
    if (call === undefined) return undefined;
    if (wait === undefined) return handlers.dispatch(call, exchange.caller);
    return respondToWait(wait, exchange, (signal) => handlers.dispatch(call, exchange.caller, signal));
  }

  return {
    protocolVersions: PROTOCOL_VERSIONS,
    invalidMessage: INVALID_MESSAGE,
    parse: (body, headers): HttpMessage | undefined => {
      const call = fastPath.parse(body, headers);
      // A usual call is a message too.
      if (call === undefined && !isMessage(body)) return undefined;
      const wait = handlers.waitOf(body);
      const message = body as Message;
      return {
        body: message,
        call,
        wait,
        isUsual: call !== undefined,
        mayWait: wait !== undefined,
        isStream: isListen(message),
        needsVersionHeader: call === undefined && !namesRevision(message) && !isInitialize(message),
      };
    },
    respond: (message: HttpMessage, exchange) => {
      const { call, wait } = message;
      if (call === undefined || wait !== undefined) return respondLater(message, exchange);
      return fastPath.respond(call, exchange.caller);
    },
    close: async () => {
      for (const sdk of (await loading) ?? []) await sdk.close();
    },
  };
}

/** @throws ProtocolError invalidRequest for a message that is too long to be kept while its client waits */
function checkKept(message: Message): void {
  if (JSON.stringify(message).length <= MAX_KEPT_CHARACTERS) return;
  throw new ProtocolError(
    RPC.invalidRequest,
    `A waiting call may have at most ${MAX_KEPT_CHARACTERS} characters; leave out what it does not need.`,
  );
}

/**
 * Responds to a call that may wait. After `KEEP_ALIVE_SECONDS` the response becomes a stream if it may.
 * @returns undefined if the response was sent here, or if the client has closed the connection
 */
async function respondToWait(
  wait: Wait,
  { response, mayStream, headers }: McpExchange,
  dispatch: (signal: AbortSignal) => Promise<RpcResponse>,
): Promise<RpcResponse | undefined> {
  const signal = watchClosing(response);
  const keepAlive = (elapsed: number): void => {
    if (!response.headersSent)
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', ...UNBUFFERED });
    const notice = progressNotice(wait, elapsed);
    response.write(notice === undefined ? ': waiting\n\n' : toEvent(JSON.stringify(notice)));
  };
  const stopKeepAlive =
    wait.seconds > MAX_SILENT_SECONDS && mayStream ? startKeepAlive(keepAlive) : () => undefined;
  try {
    const reply = await dispatch(signal);
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
  { status, headers, body }: SdkHttpResponse,
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
 * Sends a stream, and cancels it when the response closes. The signal of the web `Request` is not enough: a
 * request that is garbage collected no longer follows it (nodejs/undici#3644).
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
 * Limits the open notification streams in total, and those of each network together with its waiting calls.
 * @returns a function that reserves a stream, and returns one that releases it
 */
export function createStreamLimit(perNetwork: WaitLimit, max: number) {
  /** The functions that release the open streams. */
  const open = new Set<() => void>();
  /** @throws WorkspaceError rate_limited */
  return (caller: Caller): (() => void) => {
    if (open.size >= max) {
      throw new WorkspaceError('rate_limited', 'All streams of this server are in use; try again later.', {
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
