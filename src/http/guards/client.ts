import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyaddr from 'proxy-addr';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/caller.ts';
import type { Logger, NetworkRules } from '#http/options/app-options.ts';
import { clientNetwork } from './client-network.ts';

/**
 * Reads the caller of a request: the network of the socket's address or, behind trusted proxies, of the
 * right-most address in X-Forwarded-For that is not a trusted proxy.
 */
export function createCallerReader(rules: NetworkRules): (request: IncomingMessage) => Caller {
  const trusts = proxyaddr.compile([...rules.trustedProxies]);
  /** The caller of the last request of each connection, valid while X-Forwarded-For stays the same. */
  const last = new WeakMap<Socket, { forwarded: string | string[] | undefined; caller: Caller }>();
  return (request) => {
    const { socket, headers } = request;
    const forwarded = headers['x-forwarded-for'];
    const known = last.get(socket);
    if (known !== undefined && known.forwarded === forwarded) return known.caller;
    const caller = { clientKey: clientNetwork(proxyaddr(request, trusts), rules) };
    last.set(socket, { forwarded, caller });
    return caller;
  };
}

/**
 * Like createCallerReader, but logs when an untrusted peer first sends X-Forwarded-For: the header is forged,
 * or comes from a proxy that TRUSTED_PROXIES does not list.
 */
export function createLoggingCallerReader(
  rules: NetworkRules,
  logger: Logger,
): (request: IncomingMessage) => Caller {
  const trusts = proxyaddr.compile([...rules.trustedProxies]);
  const read = createCallerReader(rules);
  let warned = false;
  return (request) => {
    const isForwarded = request.headers['x-forwarded-for'] !== undefined;
    if (!warned && isForwarded && !trusts(request.socket.remoteAddress ?? '', 0)) {
      warned = true;
      logger.warn({}, 'ignored X-Forwarded-For from a peer that is not a trusted proxy; see TRUSTED_PROXIES');
    }
    return read(request);
  };
}

/**
 * Creates a function that reads the network of a peer. It returns undefined for loopback and trusted proxies.
 */
export function createPeerReader(rules: NetworkRules): (socket: Socket) => string | undefined {
  const trusts = proxyaddr.compile([...rules.trustedProxies]);
  return ({ remoteAddress = '' }) => {
    if (trusts(remoteAddress, 0)) return undefined;
    const network = clientNetwork(remoteAddress, rules);
    return network === LOOPBACK_CLIENT ? undefined : network;
  };
}
