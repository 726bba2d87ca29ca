import ipaddr from 'ipaddr.js';

/** One party usually holds every address of a network of this size, so it counts as one reporter. */
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

/** Whether a text is an address or a range in CIDR notation that is not the whole Internet. */
export function isRange(text: string): boolean {
  return /\/0+$/.test(text) ? false : ipaddr.isValidCIDR(text) || (!text.includes('/') && isAddress(text));
}

/**
 * @param range as of `isRange`
 * @param clientKey a network in CIDR notation; no other key is in a range
 * @returns whether the two overlap: a range that is smaller than a network denies all of it
 */
export function overlaps(range: string, clientKey: string): boolean {
  if (!ipaddr.isValidCIDR(clientKey)) return false;
  const [network, networkBits] = ipaddr.parseCIDR(clientKey);
  const [address, bits] = range.includes('/') ? ipaddr.parseCIDR(range) : [ipaddr.process(range), 128];
  const shorter = Math.min(bits, networkBits);
  return network.kind() === address.kind() && network.match(address, shorter);
}

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
