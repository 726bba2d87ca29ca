import ipaddr from 'ipaddr.js';
import { LOOPBACK_CLIENT } from '#workspace/caller.ts';
import type { NetworkRules } from '#http/app-options.ts';

/** Everybody whose address cannot be read shares one budget. */
const UNKNOWN_NETWORK = 'unknown';

const WITH_PORT = /^(?:\[([^\]]+)\]|([0-9.]+))(?::\d+)?$/;

function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [, bracketed, dotted] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (bracketed ?? dotted ?? text).split('%');
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.process(address) : undefined;
}

/** @param text an address of this machine, or any other */
export function isLoopback(text: string | undefined): boolean {
  return parse(text ?? '')?.range() === 'loopback';
}

/**
 * The network that an address stands for: what the flood limits are counted over. Mapped IPv4 addresses are unwrapped,
 * ports and zones dropped; this machine is one visitor whatever its address.
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
