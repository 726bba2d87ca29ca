import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { AccessPolicy } from '#http/guards/access.ts';
import { isLoopback } from '#http/guards/client.ts';
import { ConfigError, type Config } from '#settings/config.ts';
import { ANY } from '#settings/setting-types.ts';

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::'];

export function toBaseUrl({ baseUrl, host }: Config, port: number): string {
  if (baseUrl !== undefined) return baseUrl;
  if (WILDCARDS.includes(host)) return `http://localhost:${port}`;
  return `http://${isIP(host) === 6 ? `[${host}]` : domainToASCII(host)}:${port}`;
}

function isLocalHost(host: string): boolean {
  return /^(?:localhost$|127\.)/i.test(host) || isLoopback(host);
}

/**
 * Checks the settings of `serve`, the only command that listens.
 * @throws ConfigError if the service is only for this machine, but any web page in a browser on it could use
 *   it
 */
export function refuseOpenLoopback({ host, allowedHosts, allowedOrigins }: Config): void {
  if (!isLocalHost(host)) return;
  const open = Object.entries({ ALLOWED_HOSTS: allowedHosts, ALLOWED_ORIGINS: allowedOrigins })
    .filter(([, entries]) => entries?.includes(ANY))
    .map(
      ([name]) =>
        `${name} must not be * while HOST is the loopback address ${host}, or any page in a browser on ` +
        'this machine could use the service; list the allowed names, or listen on another address.',
    );
  if (open.length > 0) throw new ConfigError(open.join('\n'));
}

/**
 * Determines the Host and Origin headers that /mcp accepts. Any Host header is accepted if HOST is 0.0.0.0 or
 * :: and neither BASE_URL nor ALLOWED_HOSTS is set.
 * @param baseUrl the address of the service
 */
export function toAccessPolicy(config: Config, baseUrl: string): AccessPolicy {
  const { host, allowedHosts, allowedOrigins } = config;
  const { host: ownHost, origin } = new URL(baseUrl);
  const isUnnamed = WILDCARDS.includes(host) && allowedHosts === undefined && config.baseUrl === undefined;
  const isLocal = isLocalHost(host);
  const loopback = isLocal ? LOOPBACK_HOSTS : [];
  return {
    isLocal,
    allowedHosts: isUnnamed ? null : anyOr(allowedHosts ?? [ownHost, ...loopback]),
    allowedOrigins: anyOr(allowedOrigins ?? [origin, ...loopback.map((name) => `http://${name}`)]),
  };
}

function anyOr(entries: readonly string[]): readonly string[] | null {
  return entries.includes(ANY) ? null : entries;
}
