import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BodyLimiter, type BodyLimits } from '#http/body/body-limit.ts';
import { createCallerReader, createPeerReader } from './client.ts';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limit.ts';
import type { Logger, NetworkRules } from '#http/options/app-options.ts';
import { UnreadLimiter, type UnreadLimits } from './unread-limit.ts';

interface ClientLimits
  extends Pick<ConnectionLimits, 'openFiles' | 'maxPerPeer'>,
    Omit<UnreadLimits, 'clientOf'>,
    Omit<BodyLimits, 'clientOf'> {
  readonly network: NetworkRules;
  readonly logger: Logger;
}

/**
 * Bounds what one client can hold: connections, unread responses and incoming request bodies. Must be called
 * before any other listener of `request` is added.
 */
export function limitClients(
  server: Server,
  { network, logger, ...limits }: ClientLimits,
): ConnectionLimiter {
  const callerOf = createCallerReader(network);
  const options = { ...limits, clientOf: (request) => callerOf(request).clientKey } satisfies UnreadLimits &
    BodyLimits;
  let warned = false;
  const unread = new UnreadLimiter(server, options);
  const bodies = new BodyLimiter(options);
  const connections = new ConnectionLimiter(server, {
    ...limits,
    peerOf: createPeerReader(network),
    onRefused: () => {
      if (!warned)
        logger.warn(
          {},
          'refused a connection of a peer that has too many busy ones; for a proxy see TRUSTED_PROXIES',
        );
      warned = true;
    },
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    unread.watch(request, response);
    bodies.reserve(request, response);
    connections.recordRequest(request, response);
  });
  return connections;
}
