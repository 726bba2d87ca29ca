import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BodyLimiter, type BodyLimits } from '#http/body/body-limit.ts';
import { createPeerReader, type CallerReader } from './client.ts';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limit.ts';
import type { Logger, NetworkRules } from '#http/options/app-options.ts';
import { UnreadLimiter, type UnreadLimits } from './unread-limit.ts';

interface ClientLimits
  extends Pick<ConnectionLimits, 'openFiles' | 'maxPerPeer'>,
    Omit<UnreadLimits, 'readClient'>,
    Omit<BodyLimits, 'readClient'> {
  readonly network: NetworkRules;
  readonly readCaller: CallerReader;
  readonly logger: Logger;
}

/**
 * Limits the connections, unread responses and incoming request bodies of one client. Must be called before
 * any other listener of `request` is added.
 */
export function limitClients(
  server: Server,
  { network, readCaller, logger, ...limits }: ClientLimits,
): ConnectionLimiter {
  const options = {
    ...limits,
    readClient: (request) => readCaller(request).clientKey,
  } satisfies UnreadLimits & BodyLimits;
  let warned = false;
  const unread = new UnreadLimiter(server, options);
  const bodies = new BodyLimiter(options);
  const connections = new ConnectionLimiter(server, {
    ...limits,
    readPeer: createPeerReader(network),
    onRefused: () => {
      if (!warned)
        logger.warn(
          {},
          'refused a connection of a peer with too many busy ones; if it is a proxy, see TRUSTED_PROXIES',
        );
      warned = true;
    },
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    unread.watch(request, response);
    bodies.reserve(request, response);
    connections.recordRequest(response);
  });
  return connections;
}
