import { isIP } from 'node:net';

/**
 * Guards against DNS rebinding: a web page can make a browser send requests to this address under a domain name of its own,
 * which then stands in `Host`. Such a name contains a dot and is no IP address. A name without a dot, such as `localhost` or
 * that of a container, cannot be registered by a stranger.
 * @param header absent in HTTP/1.0, which no browser speaks
 * @param names further names, with or without a port
 */
export function isMetricsHost(header: string | undefined, names: readonly string[]): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return header === undefined;
  const { hostname } = new URL(`http://${header}`);
  return (
    !hostname.includes('.') ||
    isIP(hostname) !== 0 ||
    names.includes(hostname) ||
    names.includes(header.toLowerCase())
  );
}
