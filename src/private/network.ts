import ipaddr from 'ipaddr.js';

/** Whoever has one address of a network usually has the others too. */
const REPORTER_PREFIX = { ipv4: 24, ipv6: 48 } as const;

/**
 * @param clientKey a network in CIDR notation; any other key is returned unchanged
 * @returns the network of the reporter, which has no fewer addresses
 */
export function widenNetwork(clientKey: string): string {
  if (!ipaddr.isValidCIDR(clientKey)) return clientKey;
  const [address, bits] = ipaddr.parseCIDR(clientKey);
  const prefix = Math.min(bits, REPORTER_PREFIX[address.kind()]);
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString()}/${prefix}`;
}
