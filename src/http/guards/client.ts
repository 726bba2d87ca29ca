import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyaddr from 'proxy-addr';
import { LOOPBACK_CLIENT, type Caller } from '#workspace/service/caller.ts';
import ipaddr from 'ipaddr.js';

export interface NetworkRules {
  /** IP addresses and CIDR ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  readonly ipv4Prefix: number;
  readonly ipv6Prefix: number;
}

/** Receives the warnings of the guards. No warning contains an IP address. */
export interface GuardLogger {
  warn(facts: object, event: string): void;
}

export type CallerResolver = (request: IncomingMessage) => Caller;

/**
 * Creates a function that finds the caller of a request: the network of the socket's IP address or, behind
 * trusted proxies, of the right-most address in X-Forwarded-For that is not a trusted proxy. It logs the
 * first time that an untrusted peer sends the header, which is forged or comes from a proxy that
 * TRUSTED_PROXIES does not list.
 */
export function createCallerResolver(rules: NetworkRules, logger: GuardLogger): CallerResolver {
  const trusts = createTrust(rules);
  /** The caller of the last request on each connection, valid while X-Forwarded-For stays the same. */
  const last = new WeakMap<Socket, { forwarded: string | string[] | undefined; caller: Caller }>();
  let warned = false;
  return (request) => {
    const { socket, headers } = request;
    const forwarded = headers['x-forwarded-for'];
    const known = last.get(socket);
    if (known !== undefined && known.forwarded === forwarded) return known.caller;
    if (!warned && forwarded !== undefined && !trusts(socket.remoteAddress ?? '')) {
      warned = true;
      logger.warn({}, 'ignored X-Forwarded-For from a peer that is not a trusted proxy; see TRUSTED_PROXIES');
    }
    const caller = { clientKey: clientNetwork(proxyaddr(request, trusts), rules) };
    last.set(socket, { forwarded, caller });
    return caller;
  };
}

/**
 * Creates a function that finds the network of a peer. It returns undefined for loopback and trusted proxies.
 */
export function createPeerResolver(rules: NetworkRules): (socket: Socket) => string | undefined {
  const trusts = createTrust(rules);
  return ({ remoteAddress = '' }) => {
    if (trusts(remoteAddress)) return undefined;
    const network = clientNetwork(remoteAddress, rules);
    return network === LOOPBACK_CLIENT ? undefined : network;
  };
}

/** Creates a function that recognizes a trusted proxy. Some proxies add a port or brackets to an address. */
function createTrust({ trustedProxies }: NetworkRules): (text: string) => boolean {
  const trusts = proxyaddr.compile([...trustedProxies]);
  return (text) => trusts(toAddress(text), 0);
}

const WITH_PORT = /^(?:\[([^\]]+)\]|([0-9.]+))(?::\d+)?$/;

/** Removes port, brackets and zone from an entry of X-Forwarded-For. */
function toAddress(text: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  return (bracketed ?? dotted ?? text).split('%')[0] ?? '';
}

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = toAddress(text);
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address) : undefined;
}

/** @param text an IP address, with or without a port */
export function isLoopback(text: string | undefined): boolean {
  return parse(text ?? '')?.range() === 'loopback';
}

/**
 * Returns the client key of an IP address: its network in CIDR notation, without port and zone. IPv4-mapped
 * IPv6 addresses (RFC 4291 section 2.5.5.2) count as IPv4. Every loopback address gives LOOPBACK_CLIENT, and
 * a string that is not an IP address gives `unknown`.
 */
export function clientNetwork(
  text: string | undefined,
  rules: Pick<NetworkRules, 'ipv4Prefix' | 'ipv6Prefix'>,
): string {
  const address = parse(text ?? '');
  if (address === undefined) return 'unknown';
  if (address.range() === 'loopback') return LOOPBACK_CLIENT;
  const [family, prefix] =
    address instanceof ipaddr.IPv4
      ? ([ipaddr.IPv4, rules.ipv4Prefix] as const)
      : ([ipaddr.IPv6, rules.ipv6Prefix] as const);
  return `${family.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString()}/${prefix}`;
}
