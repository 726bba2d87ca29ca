import ipaddr from 'ipaddr.js';

/** A network of this size usually belongs to one party. */
const WIDENED_PREFIX = { ipv4: 24, ipv6: 48 } as const;

/** @returns the /24 or /48 that contains a smaller network in CIDR notation; any other key unchanged */
export function widenNetwork(clientKey: string): string {
  if (!ipaddr.isValidCIDR(clientKey)) return clientKey;
  const [address, bits] = ipaddr.parseCIDR(clientKey);
  const prefix = Math.min(bits, WIDENED_PREFIX[address.kind()]);
  const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address.toString()}/${prefix}`).toString()}/${prefix}`;
}

/** The bits of ::ffff:0:0/96, the IPv4-mapped addresses (RFC 4291 section 2.5.5.2). */
const MAPPED = `${'0'.repeat(80)}${'1'.repeat(16)}`;

/** @returns 4 or 6, then the bits of the prefix: if two ranges overlap, one begins with the other */
export function toBits(range: string): string {
  if (!ipaddr.isValidCIDR(range) && !ipaddr.isValid(range)) return range;
  const [address, bits] = range.includes('/') ? ipaddr.parseCIDR(range) : [ipaddr.parse(range), 128];
  const bytes = address.toByteArray().map((byte) => byte.toString(2).padStart(8, '0'));
  const prefix = bytes.join('').slice(0, bits);
  if (address.kind() === 'ipv4') return `4${prefix}`;
  return prefix.startsWith(MAPPED) ? `4${prefix.slice(MAPPED.length)}` : `6${prefix}`;
}

/** Loopback, "this network", multicast, broadcast, and ::/32 without IPv4-mapped addresses. */
const OF_NO_CLIENT = ['127.0.0.0/8', '0.0.0.0/8', '224.0.0.0/4', '255.255.255.255', '::/32', 'ff00::/8'].map(
  toBits,
);

/**
 * @param text what an operator typed
 * @returns `all` for all of IPv4 or IPv6, `none` if no client that can be denied has an address in the range
 */
export function classifyRange(text: string): 'all' | 'none' | 'some' | 'invalid' {
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv4.isValidCIDRFourPartDecimal(text);
  if (!isIpv4 && !ipaddr.IPv6.isValid(text) && !ipaddr.IPv6.isValidCIDR(text)) return 'invalid';
  const bits = toBits(text);
  if (bits.length === 1) return 'all';
  return OF_NO_CLIENT.some((range) => bits.startsWith(range)) ? 'none' : 'some';
}
