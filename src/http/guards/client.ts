import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyaddr from 'proxy-addr';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/caller.ts';
import type { Logger, NetworkRules } from '#http/app-options.ts';
import { clientNetwork } from './client-network.ts';

/**
 * Reads the caller of a request: the network of the socket's address or, where proxies are trusted, of the right-most
 * forwarded address that is not a trusted proxy's. Logs the first X-Forwarded-For of a peer that is not trusted: it is a
 * forgery, or of a proxy that the operator has not named.
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
      logger.warn({}, 'X-Forwarded-For from a peer that is no trusted proxy is ignored; see TRUSTED_PROXIES');
    }
    return read(request);
  };
}

/** The same without the warning. */
export function createCallerReader(rules: NetworkRules): (request: IncomingMessage) => Caller {
  const trusts = proxyaddr.compile([...rules.trustedProxies]);
  /** Of the last request of each connection: the other end of a connection stays the same. */
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

/** @returns reads the network of the other end of a connection; undefined for this machine and for trusted proxies */
export function createPeerReader(rules: NetworkRules): (socket: Socket) => string | undefined {
  const trusts = proxyaddr.compile([...rules.trustedProxies]);
  return ({ remoteAddress = '' }) => {
    if (trusts(remoteAddress, 0)) return undefined;
    const network = clientNetwork(remoteAddress, rules);
    return network === LOOPBACK_CLIENT ? undefined : network;
  };
}
