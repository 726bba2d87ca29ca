import ipaddr from 'ipaddr.js';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import type { NetworkRules } from '#http/options/app-options.ts';

/** The client key of all clients whose address cannot be parsed. */
const UNKNOWN_NETWORK = 'unknown';

const WITH_PORT = /^(?:\[([^\]]+)\]|([0-9.]+))(?::\d+)?$/;

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (bracketed ?? dotted ?? text).split('%');
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address) : undefined;
}

/** @param text an IP address, with or without a port */
export function isLoopback(text: string | undefined): boolean {
  return parse(text ?? '')?.range() === 'loopback';
}

/**
 * The client key of an address: its network in CIDR notation, without port and zone. IPv4-mapped IPv6
 * addresses (RFC 4291 section 2.5.5.2) count as IPv4. All loopback addresses are LOOPBACK_CLIENT.
 */
export function clientNetwork(
  text: string | undefined,
  rules: Pick<NetworkRules, 'ipv4Prefix' | 'ipv6Prefix'>,
): string {
  const address = parse(text ?? '');
  if (address === undefined) return UNKNOWN_NETWORK;
  if (address.range() === 'loopback') return LOOPBACK_CLIENT;
  const [family, prefix] =
    address instanceof ipaddr.IPv4
      ? ([ipaddr.IPv4, rules.ipv4Prefix] as const)
      : ([ipaddr.IPv6, rules.ipv6Prefix] as const);
  return `${family.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString()}/${prefix}`;
}
