import { isIP } from 'node:net';
import type { AccessPolicy } from '#http/guards/access.ts';
import { isLoopback } from '#http/guards/client.ts';
import { ConfigError, type Config } from '#settings/config.ts';
import { ANY } from '#settings/setting-types.ts';

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS = ['0.0.0.0', '[::]'];

/** @throws ConfigError for an IP address with a zone (RFC 4007), which no URL can contain */
export function toBaseUrl({ baseUrl, host }: Config, port: number): string {
  if (baseUrl !== undefined) return baseUrl;
  const name = nameInUrl(host);
  if (name === undefined)
    throw new ConfigError('HOST has a zone, which no URL can contain: set BASE_URL too.');
  return `http://${WILDCARDS.includes(name) ? 'localhost' : name}:${port}`;
}

/** @returns a host as URLs spell it; undefined if no URL can contain it */
function nameInUrl(host: string): string | undefined {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function isLocalHost(host: string): boolean {
  const name = nameInUrl(host) ?? host;
  return /^localhost\.?$/.test(name) || isLoopback(name.replace(/^\[(.+)\]$/, '$1'));
}

/**
 * Checks the settings of a server that listens on a loopback address.
 * @throws ConfigError if any web page in a browser on this machine could use the service
 */
export function refuseOpenLoopback({ host, allowedHosts, allowedOrigins }: Config): void {
  if (!isLocalHost(host)) return;
  const open = Object.entries({ ALLOWED_HOSTS: allowedHosts, ALLOWED_ORIGINS: allowedOrigins })
    .filter(([, entries]) => entries?.includes(ANY))
    .map(
      ([name]) =>
        `${name} must not be * while HOST is the loopback address ${host}, or any page in a browser on ` +
        'this machine could use the service; list the allowed names, or listen on another IP address.',
    );
  if (open.length > 0) throw new ConfigError(open.join('\n'));
}

/**
 * Determines the Host and Origin headers that /mcp accepts. It accepts any Host if HOST is 0.0.0.0 or ::, and
 * neither BASE_URL nor ALLOWED_HOSTS is set.
 */
export function toAccessPolicy(config: Config, baseUrl: string): AccessPolicy {
  const { host, allowedHosts, allowedOrigins } = config;
  const { host: ownHost, origin } = new URL(baseUrl);
  const isUnnamed =
    WILDCARDS.includes(nameInUrl(host) ?? '') && allowedHosts === undefined && config.baseUrl === undefined;
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
