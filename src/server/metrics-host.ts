import { isIP } from 'node:net';

/**
 * Whether a Host header is safe from DNS rebinding, in which a web page makes a browser send requests to this
 * address under the page's own domain. Such a domain contains a dot and is not an IP address. A name without
 * a dot, such as `localhost` or a container's, cannot be registered.
 * @param header undefined in HTTP/1.0 requests, which no browser sends
 * @param names additional allowed names, with or without a port
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
