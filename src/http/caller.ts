import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyaddr from 'proxy-addr';
import type { Caller } from '#workspace/caller.ts';
import type { Log, NetworkRules } from './house.ts';
import { networkOf } from './network.ts';

/**
 * Tells who calls: the socket's address or, where proxies are trusted, the right-most forwarded address that is not a
 * trusted proxy's. Nobody can forge another by a header; the first who seems to try is worth a warning, since it may
 * also be a proxy that the operator forgot to name.
 */
export function callerOf(rules: NetworkRules, log: Log): (request: IncomingMessage) => Caller {
  const trusts = proxyaddr.compile([...rules.trustedProxies]);
  let warned = false;
  /** Of requests that nobody forwarded: for as long as a connection lasts its other end is the same. */
  const direct = new WeakMap<Socket, Caller>();
  return (request) => {
    const { socket } = request;
    const forwarded = request.headers['x-forwarded-for'] !== undefined;
    const known = forwarded ? undefined : direct.get(socket);
    if (known !== undefined) return known;
    if (!warned && forwarded && !trusts(socket.remoteAddress ?? '', 0)) {
      warned = true;
      log.warn({}, 'X-Forwarded-For from a peer that is no trusted proxy is ignored; see TRUSTED_PROXIES');
    }
    const caller = { visitor: networkOf(proxyaddr(request, trusts), rules) };
    if (!forwarded) direct.set(socket, caller);
    return caller;
  };
}
