import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import envPaths from 'env-paths';
import proxyaddr from 'proxy-addr';
import { z } from 'zod';
import type { AccessPolicy, NetworkRules } from '#http/app-options.ts';
import { isLoopback } from '#http/guards/client-network.ts';
import type { Limits } from '#workspace/schemas/limits.ts';
import type { MetricsAddress } from './metrics.ts';

export const ROOT = join(import.meta.dirname, '..');

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Undefined where it follows from the address that is listened on. */
  readonly baseUrl: string | undefined;
  readonly dataDir: string;
  /** The database that takes the place of the folder; never to be printed, since it holds a password. */
  readonly databaseUrl: string | undefined;
  readonly serviceName: string;
  readonly contact: string | null;
  readonly network: NetworkRules;
  readonly allowedHosts: readonly string[] | undefined;
  readonly allowedOrigins: readonly string[] | undefined;
  readonly limits: Limits;
  readonly secretGuard: boolean;
  /** The size at which the store takes no more writes; 0 turns the limit off. */
  readonly storeMaxBytes: number;
  readonly readMaxAge: number;
  readonly logLevel: string;
  /** Where Prometheus is told how the service does; undefined where nowhere. */
  readonly metrics: MetricsAddress | undefined;
}

/** What is wrong with the configuration, one sentence for each mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS = ['0.0.0.0', '::'];

function numberSetting(least: number, most: number) {
  return z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number);
}

const wholeNumber = (least: number, most: number, otherwise: number) =>
  numberSetting(least, most).default(otherwise);

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean),
);

/** The entry of ALLOWED_HOSTS and ALLOWED_ORIGINS that stands for any. */
const ANY = '*';

const accessList = list.refine((entries) => entries.every((entry) => entry === ANY || !entry.includes('*')), {
  error: 'must be * for any, or complete names separated by commas; patterns are not supported',
});

const webAddress = z
  .string()
  .refine((text) => /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(text) && URL.canParse(text), {
    error: 'must be an http or https address without query, such as https://porchlight.example.org',
  })
  .transform((text) => text.replace(/\/+$/, ''));

const database = z.string().refine((text) => /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text), {
  error: 'must be the address of a database, such as postgres://user:password@host:5432/porchlight',
});

const proxies = list.refine(
  (ranges) => {
    try {
      proxyaddr.compile(ranges);
      return ranges.every((range) => isIP(range.split('/')[0] ?? '') !== 0);
    } catch {
      return false;
    }
  },
  { error: 'must be IP addresses or CIDR ranges, separated by commas' },
);

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The names of the environment variables; a flag is the same name in lower case with dashes. */
const Variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535, 8787),
  BASE_URL: webAddress.optional(),
  DATA_DIR: z
    .string()
    .refine((text) => !/^(?:[a-z]+:\/\/|postgres(?:ql)?:)/i.test(text), {
      error: 'must be a folder; the address of a database belongs in DATABASE_URL',
    })
    .default(defaultDataDir),
  DATABASE_URL: database.optional(),
  SERVICE_NAME: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: 'must be lower-case letters, digits and dashes' })
    .default('porchlight'),
  CONTACT: z.string().optional(),
  TRUSTED_PROXIES: proxies.default([]),
  ALLOWED_HOSTS: accessList.optional(),
  ALLOWED_ORIGINS: accessList.optional(),
  FEED_POSTS_PER_HOUR: wholeNumber(0, 1_000_000, 24),
  PORCH_WRITES_PER_HOUR: wholeNumber(0, 1_000_000, 10),
  PORCH_WRITES_PER_DAY: wholeNumber(0, 1_000_000, 40),
  REQUESTS_PER_MINUTE: wholeNumber(0, 1_000_000, 1200),
  READ_MAX_AGE: wholeNumber(0, 86_400, 0),
  IPV4_PREFIX: wholeNumber(1, 32, 32),
  IPV6_PREFIX: wholeNumber(1, 128, 64),
  SECRET_GUARD: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  STORE_MAX_BYTES: wholeNumber(0, Number.MAX_SAFE_INTEGER, 0),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: numberSetting(0, 65_535).optional(),
  LOG_LEVEL: z.enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` }).default('info'),
});

export type SettingName = keyof typeof Variables.shape;

export const VARIABLES = Object.keys(Variables.shape) as SettingName[];

/** @returns the default of a setting, an empty text if it has none */
export function defaultOf(name: SettingName): string {
  const { data } = Variables.shape[name].safeParse(undefined);
  return String(data ?? '');
}

/** A checkout keeps its data beside the code; an installed package, which has no tests, where the user keeps data. */
function defaultDataDir(): string {
  return existsSync(join(ROOT, 'test')) ? join(ROOT, 'data') : envPaths('porchlight', { suffix: '' }).data;
}

/**
 * Reads the configuration. An empty variable counts as one that is not set.
 * @throws ConfigError that names every mistake
 */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    VARIABLES.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
  );
  const checked = Variables.safeParse(given);
  if (!checked.success) {
    throw new ConfigError(
      checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join('\n'),
    );
  }
  const values = checked.data;
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl: values.BASE_URL,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    serviceName: values.SERVICE_NAME,
    contact: values.CONTACT ?? null,
    network: {
      trustedProxies: values.TRUSTED_PROXIES,
      ipv4Prefix: values.IPV4_PREFIX,
      ipv6Prefix: values.IPV6_PREFIX,
    },
    allowedHosts: values.ALLOWED_HOSTS,
    allowedOrigins: values.ALLOWED_ORIGINS,
    limits: {
      feedPostsPerHour: values.FEED_POSTS_PER_HOUR,
      porchWritesPerHour: values.PORCH_WRITES_PER_HOUR,
      porchWritesPerDay: values.PORCH_WRITES_PER_DAY,
      requestsPerMinute: values.REQUESTS_PER_MINUTE,
    },
    secretGuard: values.SECRET_GUARD === 'on',
    storeMaxBytes: values.STORE_MAX_BYTES,
    readMaxAge: values.READ_MAX_AGE,
    logLevel: values.LOG_LEVEL,
    metrics:
      values.METRICS_PORT === undefined
        ? undefined
        : {
            host: values.METRICS_HOST,
            port: values.METRICS_PORT,
            allowedHosts: values.ALLOWED_HOSTS ?? [],
          },
  };
}

/** Where the service is reached, if nothing else was said. @param port the one that is listened on */
export function baseUrlOf({ baseUrl, host }: Config, port: number): string {
  if (baseUrl !== undefined) return baseUrl;
  if (WILDCARDS.includes(host)) return `http://localhost:${port}`;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

function isLocalHost(host: string): boolean {
  return /^(?:localhost$|127\.)/i.test(host) || isLoopback(host);
}

/**
 * Holds for `serve` alone, since no other command listens.
 * @throws ConfigError if a web page in a browser on this machine could use a service that is meant for this machine
 */
export function refuseOpenLoopback({ host, allowedHosts, allowedOrigins }: Config): void {
  if (!isLocalHost(host)) return;
  const open = Object.entries({ ALLOWED_HOSTS: allowedHosts, ALLOWED_ORIGINS: allowedOrigins })
    .filter(([, entries]) => entries?.includes(ANY))
    .map(
      ([name]) =>
        `${name} must not be * while HOST is the loopback address ${host}, or any page in a browser on this machine ` +
        'could use the service; name what is allowed, or listen on another address.',
    );
  if (open.length > 0) throw new ConfigError(open.join('\n'));
}

/**
 * Which Host and Origin headers /mcp accepts. If HOST is 0.0.0.0 or :: and neither BASE_URL nor ALLOWED_HOSTS is set,
 * any Host header is accepted.
 * @param baseUrl where the service is reached
 */
export function toAccessPolicy(config: Config, baseUrl: string): AccessPolicy {
  const { host, allowedHosts, allowedOrigins } = config;
  const { host: ownHost, origin } = new URL(baseUrl);
  const isUnnamed = WILDCARDS.includes(host) && allowedHosts === undefined && config.baseUrl === undefined;
  const isLocal = isLocalHost(host);
  const loopback = isLocal ? LOOPBACK_HOSTS : [];
  return {
    guardsEveryPath: isLocal,
    allowedHosts: isUnnamed ? null : anyOr(allowedHosts ?? [ownHost, ...loopback]),
    allowedOrigins: anyOr(allowedOrigins ?? [origin, ...loopback.map((name) => `http://${name}`)]),
  };
}

function anyOr(entries: readonly string[]): readonly string[] | null {
  return entries.includes(ANY) ? null : entries;
}
