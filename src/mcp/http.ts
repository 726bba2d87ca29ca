import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '#workspace/caller.ts';
import type { HttpEra } from './era.ts';
import { isMessage, namesRevision, type Message } from './message.ts';

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
    async handle(request: IncomingMessage, response: ServerResponse, body: Message, caller: Caller): Promise<void> {
      for (const era of await (loading ??= load())) {
        if (await era.owns(request, body)) return era.answer(request, response, body, caller);
      }
    },
    close: async (): Promise<void> => {
      for (const era of await loading ?? []) await era.close();
    },
  };
}
