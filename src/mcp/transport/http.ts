import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/service/caller.ts';
import { sendMcpResponse } from './send-response.ts';
import type { McpHttpResponse, SdkHttpHandler } from './transport.ts';
import { answerWaitingCall, type WaitingHandlers } from './waiting-http.ts';
import {
  INVALID_MESSAGE,
  isInitialize,
  isMessage,
  namesRevision,
  type Message,
} from '#mcp/protocol/json-rpc.ts';
import type { ReadCall } from '#mcp/fast-path/read-calls.ts';
import type { McpHandlers } from '#mcp/handlers/handlers.ts';
import { LISTEN, PROTOCOL_VERSIONS } from '#mcp/protocol/revisions.ts';

export interface HttpSdks {
  /** Serves well-formed reads without an SDK. */
  readonly readCall: McpHandlers['readCall'];
  readonly waits: WaitingHandlers;
  /** @returns the handlers, in the order in which they are offered a request */
  readonly load: () => Promise<readonly SdkHttpHandler[]>;
}

/**
 * MCP over Streamable HTTP, for the HTTP app to mount. It has no sessions: any instance can serve any
 * request, also after a restart. The first request that needs an SDK loads both.
 */
export function createMcpEndpoint({ readCall, waits, load }: HttpSdks) {
  let loading: Promise<readonly SdkHttpHandler[]> | undefined;
  async function handle(
    message: Message,
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    mayStream: boolean,
  ): Promise<void> {
    const clientClosed = new AbortController();
    response.once('close', () => {
      // An abort creates an error with its stack, which is wasted on a finished response.
      if (!response.writableEnded) clientClosed.abort();
    });
    const { signal } = clientClosed;
    const answer = async (sent: Message): Promise<McpHttpResponse | undefined> => {
      for (const sdk of await (loading ??= load())) {
        const reply = await sdk.handle({ request, message: sent, caller, clientClosed: signal });
        if (reply !== undefined) return reply;
      }
      return undefined;
    };
    const call = waits.waitingCall(message);
    if (call !== undefined) {
      await answerWaitingCall(call, {
        request,
        response,
        message,
        caller,
        mayStream,
        signal,
        waits,
        answer,
      });
      return;
    }
    const reply = await answer(message);
    if (reply !== undefined) await sendMcpResponse(reply, response);
  }

  return {
    protocolVersions: PROTOCOL_VERSIONS,
    invalidMessage: INVALID_MESSAGE,
    receive: (body: unknown) =>
      isMessage(body)
        ? {
            isOfHeaderVersion: !namesRevision(body) && !isInitialize(body),
            isStream: 'method' in body && body.method === LISTEN,
            handle: (...rest: [IncomingMessage, ServerResponse, Caller, boolean]) => handle(body, ...rest),
          }
        : undefined,
    readCall: (message: unknown, headers: IncomingHttpHeaders, caller: Caller): ReadCall | undefined =>
      readCall(message, caller, headers),
    close: async (): Promise<void> => {
      for (const sdk of (await loading) ?? []) await sdk.close();
    },
  };
}
