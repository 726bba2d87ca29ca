import { isIP } from 'node:net';

/**
 * Whether a Host header cannot come from DNS rebinding. In that attack a web page makes a browser send
 * requests to this address under the domain of the page. Such a domain contains a dot and is not an IP
 * address. A name without a dot, such as `localhost` or the name of a container, cannot be registered.
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
