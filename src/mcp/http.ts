import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/caller.ts';
import type { HttpAnswer, HttpEra } from './era.ts';
import { isMessage, namesRevision, type Message } from './message.ts';
import { Outlet } from './outlet.ts';

/** The eras to serve, and how to come by them. */
export interface HttpEras {
  readonly protocolVersions: readonly string[];
  /** @returns them in the order in which they are asked whether a request is theirs */
  readonly load: () => Promise<readonly HttpEra[]>;
}

/**
 * MCP over streamable HTTP, for the HTTP house to put behind its door. Nothing is kept from one request to the next, so
 * it works after a restart, and any instance can answer any request. The SDKs are loaded by the first.
 */
export function mcpEndpointOf({ protocolVersions, load }: HttpEras) {
  let loading: Promise<readonly HttpEra[]> | undefined;
  return {
    protocolVersions,
    isMessage,
    namesRevision,
    /** @returns the JSON it answered with; undefined where the answer is a stream, or empty */
    async handle(
      request: IncomingMessage,
      response: ServerResponse,
      message: Message,
      caller: Caller,
    ): Promise<string | undefined> {
      const gone = new AbortController();
      response.once('close', () => {
        gone.abort();
      });
      for (const era of await (loading ??= load())) {
        const answer = await era.answer({ request, message, caller, gone: gone.signal });
        if (answer !== undefined) return send(answer, response);
      }
      return undefined;
    },
    close: async (): Promise<void> => {
      for (const era of (await loading) ?? []) await era.close();
    },
  };
}

async function send(
  { status, headers, body }: HttpAnswer,
  response: ServerResponse,
): Promise<string | undefined> {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return undefined;
  }
  if (typeof body === 'string') {
    const length = Buffer.byteLength(body);
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers, 'content-length': length })
      .end(body);
    return body;
  }
  const outlet = new Outlet(response.writeHead(status, headers));
  const decoder = new TextDecoder();
  for await (const frame of body) outlet.write(decoder.decode(frame, { stream: true }));
  response.end();
  return undefined;
}
