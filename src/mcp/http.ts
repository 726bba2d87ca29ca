import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/caller.ts';
import type { HttpEra } from './era.ts';
import { isMessage, namesRevision, type Message } from './message.ts';

/**
 * MCP over streamable HTTP, for the HTTP house to put behind its door. Nothing is kept from one request to the next, so
 * it works after a restart, and any instance can answer any request.
 * @param eras the first that owns a request answers it
 */
export function mcpEndpointOf(eras: readonly HttpEra[]) {
  return {
    protocolVersions: eras.flatMap(({ protocolVersions }) => protocolVersions),
    isMessage,
    namesRevision,
    async handle(request: IncomingMessage, response: ServerResponse, body: Message, caller: Caller): Promise<void> {
      for (const era of eras) {
        if (await era.owns(request, body)) return era.answer(request, response, body, caller);
      }
    },
    close: async (): Promise<void> => {
      await Promise.all(eras.map((era) => era.close()));
    },
  };
}
