import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/caller.ts';
import type { HttpEra } from './era.ts';
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
    async handle(request: IncomingMessage, response: ServerResponse, body: Message, caller: Caller): Promise<string | undefined> {
      const gone = new AbortController();
      response.once('close', () => { gone.abort(); });
      const asked = toWebRequest(request, gone.signal);
      for (const era of await (loading ??= load())) {
        if (await era.owns(asked, body)) return pass(await era.answer(asked, body, caller), response);
      }
      return undefined;
    },
    close: async (): Promise<void> => {
      for (const era of await loading ?? []) await era.close();
    },
  };
}

/** With its headers alone: the body is read already. */
function toWebRequest({ method = 'POST', url = '/', headers }: IncomingMessage, signal: AbortSignal): Request {
  const fields = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, { method, headers: fields, signal });
}

async function pass(answer: Response, response: ServerResponse): Promise<string | undefined> {
  const headers = Object.fromEntries(answer.headers);
  if (answer.body === null || headers['content-type']?.startsWith('text/event-stream') !== true) {
    const text = await answer.text();
    response.writeHead(answer.status, { ...headers, ...(text !== '' && { 'content-length': Buffer.byteLength(text) }) }).end(text);
    return text === '' ? undefined : text;
  }
  const outlet = new Outlet(response.writeHead(answer.status, headers));
  const decoder = new TextDecoder();
  for await (const frame of answer.body as ReadableStream<Uint8Array>) outlet.write(decoder.decode(frame, { stream: true }));
  response.end();
  return undefined;
}
