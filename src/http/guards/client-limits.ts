import type { Server } from 'node:http';
import { BodyLimiter, type BodyLimits } from './body-limit.ts';
import { createCallerReader, createPeerReader } from './client.ts';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limit.ts';
import type { Logger, NetworkRules } from '#http/app-options.ts';
import { UnreadLimiter, type UnreadLimits } from './unread-limit.ts';

interface ClientLimits
  extends Pick<ConnectionLimits, 'openFiles' | 'maxPerPeer'>,
    Omit<UnreadLimits, 'clientOf'>,
    Omit<BodyLimits, 'clientOf'> {
  readonly network: NetworkRules;
  readonly logger: Logger;
}

/**
 * Bounds what one client can hold of a server: connections, unread answers, request bodies under way. To be called before anything
 * else listens to the server's requests.
 */
export function limitClients(
  server: Server,
  { network, logger, ...limits }: ClientLimits,
): ConnectionLimiter {
  const callerOf = createCallerReader(network);
  const counted = { ...limits, clientOf: (request) => callerOf(request).clientKey } satisfies UnreadLimits &
    BodyLimits;
  let warned = false;
  new UnreadLimiter(server, counted);
  new BodyLimiter(server, counted);
  return new ConnectionLimiter(server, {
    ...limits,
    peerOf: createPeerReader(network),
    onRefused: () => {
      if (!warned)
        logger.warn(
          {},
          'a peer with too many busy connections is refused more; if it is a proxy, see TRUSTED_PROXIES',
        );
      warned = true;
    },
  });
}
