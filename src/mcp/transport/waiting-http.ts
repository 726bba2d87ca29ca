import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/service/caller.ts';
import { MAX_SILENT_SECONDS, startKeepAlive, UNBUFFERED } from '#workspace/waiting/keep-alive.ts';
import type { RpcResponse } from '#tool/cached-result.ts';
import type { McpHandlers } from '#mcp/handlers/handlers.ts';
import type { MethodResult } from '#mcp/protocol/methods.ts';
import { progressNotice, type WaitingCall } from '#mcp/protocol/waiting-call.ts';
import type { Message } from '#mcp/protocol/json-rpc.ts';
import { sendMcpResponse } from './send-response.ts';
import type { McpHttpResponse } from './transport.ts';

export type WaitingHandlers = Pick<McpHandlers, 'waitingCall' | 'waitCall' | 'wait'>;

interface WaitingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: Message;
  readonly caller: Caller;
  /** Whether the client accepts an event stream. */
  readonly mayStream: boolean;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
  readonly waits: WaitingHandlers;
  /** Sends the message to an SDK. @returns undefined if no SDK serves it */
  readonly answer: (message: Message) => Promise<McpHttpResponse | undefined>;
}

/**
 * Answers a call that may wait. If the client accepts one, a long wait becomes a stream of server-sent events
 * after `KEEP_ALIVE_SECONDS`, with comments and progress notifications before the response.
 */
export async function answerWaitingCall(call: WaitingCall, waiting: WaitingRequest): Promise<void> {
  const { request, response, message, caller, mayStream, signal, waits } = waiting;
  const stopKeepAlive =
    call.seconds > MAX_SILENT_SECONDS && mayStream ? keepAlive(call, response) : () => undefined;
  try {
    const run = waits.waitCall(message, caller, signal, request.headers);
    const reply = run === undefined ? await waitBesideSdk(call, waiting) : toHttpResponse(await run());
    if (signal.aborted || reply === undefined) return;
    if (response.headersSent) response.end(toEvent(reply.body as string));
    else await sendMcpResponse(reply, response);
  } finally {
    stopKeepAlive();
  }
}

function keepAlive(call: WaitingCall, response: ServerResponse): () => void {
  return startKeepAlive((elapsed) => {
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', ...UNBUFFERED });
    const notice = progressNotice(call, elapsed);
    response.write(notice === undefined ? ': waiting\n\n' : toEvent(JSON.stringify(notice)));
  });
}

const toEvent = (json: string): string => `event: message\ndata: ${json}\n\n`;

function toHttpResponse({ before, after }: RpcResponse): McpHttpResponse {
  return { status: 200, body: before.toString() + after };
}

/**
 * Answers a call with an unusual envelope, which an SDK has to read. The SDK answers without waiting, so that
 * it keeps no state during the wait. If it found nothing, the result of the wait replaces its result.
 */
async function waitBesideSdk(
  call: WaitingCall,
  { message, caller, signal, waits, answer }: WaitingRequest,
): Promise<McpHttpResponse | undefined> {
  const first = await answer(withoutWaiting(message, call));
  if (first?.status !== 200 || typeof first.body !== 'string') return first;
  const envelope = JSON.parse(first.body) as { readonly result?: MethodResult };
  const { content, structuredContent: _, ...members } = envelope.result ?? {};
  if (content === undefined || members['isError'] === true) return first;
  const [{ text }] = content as [{ text: string }];
  const output = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (call.tool.waiting.isAnswer(output)) return first;
  const result = { ...(await waits.wait(call, caller, signal, output)), ...members };
  return { ...first, body: JSON.stringify({ ...envelope, result }) };
}

function withoutWaiting(message: Message, { tool, args }: WaitingCall): Message {
  if (!('method' in message)) return message;
  const { secondsArgument } = tool.waiting;
  return { ...message, params: { ...message.params, arguments: { ...args, [secondsArgument]: 0 } } };
}
