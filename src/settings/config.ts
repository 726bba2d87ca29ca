import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import {
  AROUND_VALUE,
  PLACEHOLDER,
  databaseUrl,
  folder,
  holdSetting,
  hostList,
  hookUrl,
  numberSetting,
  originList,
  proxies,
  settingText,
  visitorSecrets,
  baseUrl,
  wholeNumber,
} from './setting-types.ts';

// env-paths reads the home folder when it is loaded. It throws if the user has none, as in a container with
// an arbitrary user id.
const envPaths = await import('env-paths').then(
  (module) => module.default,
  () => undefined,
);

/** The top folder. Built files are as deep in it as source files. */
export const ROOT = join(import.meta.dirname, '../..');

export const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};

/** A wrong configuration. The message has one sentence for each mistake. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The environment variable of every setting, its rule, its default and its text in `--help`. */
export const Settings = z.object({
  HOST: settingText.default('127.0.0.1').describe('the address to listen on'),
  PORT: wholeNumber(0, 65_535, 8787).describe('the port to listen on'),
  BASE_URL: baseUrl.optional().describe('the public base URL of the service, with which every link begins'),
  DATA_DIR: folder.default(defaultDataDir).describe('the folder of the store'),
  KEYS_DIR: folder
    .optional()
    .describe('the folder of the keys that encrypt client keys (default: the folder keys in DATA_DIR)'),
  DATABASE_URL: databaseUrl.optional().describe('a PostgreSQL database as the store, instead of the folder'),
  VISITOR_SECRET: visitorSecrets
    .optional()
    .describe(
      'with DATABASE_URL: 32 bytes in base64, or a file with them, so that the database does not reveal ' +
        'which network wrote what; two, newest first, while rotating',
    ),
  VISITOR_SECRET_DIR: folder
    .optional()
    .describe(
      'in place of VISITOR_SECRET: a folder in which servers create a secret each day and destroy the one ' +
        'from two days ago',
    ),
  SERVICE_NAME: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: 'must be lower-case letters, digits and dashes' })
    .default('porchlight')
    .describe('the public name of the service'),
  CONTACT: settingText.optional().describe('how to reach the operator'),
  HOOK_URL: hookUrl
    .optional()
    .describe(
      'receives a POST when something is reported or the service fails, with the beginning of a reported text',
    ),
  TRUSTED_PROXIES: proxies
    .default([])
    .describe('addresses or CIDR ranges whose X-Forwarded-For header is trusted'),
  ALLOWED_HOSTS: hostList.optional().describe('Host headers that /mcp and /mcp/core accept; * for any'),
  ALLOWED_ORIGINS: originList.optional().describe('origins that may write or, on loopback, read; * for any'),
  FEED_POSTS_PER_HOUR: wholeNumber(0, 1_000_000, 24).describe(
    'posts to the feed from one network; 0 means no limit',
  ),
  PORCH_WRITES_PER_HOUR: wholeNumber(0, 1_000_000, 10).describe(
    'writes to the guest book and projects from one network; 0 means no limit',
  ),
  PORCH_WRITES_PER_DAY: wholeNumber(0, 1_000_000, 40).describe('the same, per day'),
  WRITES_PER_MINUTE_TOTAL: wholeNumber(0, 1_000_000, 0).describe(
    'writes by all networks together; beyond it, only networks that have not written for ten minutes may ' +
      'write, up to the same number again; 0 means no limit',
  ),
  REPORTS_PER_HOUR: wholeNumber(0, 1_000_000, 20).describe(
    'reports to the operator from one /24 or /48; 0 means no limit',
  ),
  REPORTS_TO_HOLD: holdSetting
    .default(0)
    .describe(
      'how many networks must report a new record as illegal or private_data on one day to hide it for 24 ' +
        'hours; 0 turns this off',
    ),
  REQUESTS_PER_MINUTE: wholeNumber(0, 1_000_000, 1200).describe('requests by one network; 0 means no limit'),
  WAITS_PER_NETWORK: wholeNumber(0, 1_000_000, 50).describe(
    'waiting calls and notification streams from one network at once; 0 means no limit',
  ),
  READ_MAX_AGE: wholeNumber(0, 86_400, 0).describe('max-age of reads in Cache-Control, in seconds'),
  IPV4_PREFIX: wholeNumber(1, 32, 32).describe('bits of an IPv4 address that identify a network'),
  IPV6_PREFIX: wholeNumber(1, 128, 64).describe('bits of an IPv6 address that identify a network'),
  SECRET_GUARD: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe('on or off: whether texts that contain what looks like a credential are refused'),
  STORE_MAX_BYTES: wholeNumber(0, Number.MAX_SAFE_INTEGER, 0).describe(
    'the size of the store at which writes are refused; 0 means no limit',
  ),
  METRICS_HOST: settingText.default('127.0.0.1').describe('the address of the Prometheus endpoint'),
  METRICS_PORT: numberSetting(0, 65_535)
    .optional()
    .describe('the port of the Prometheus endpoint; without it there is no endpoint'),
  LOG_LEVEL: z
    .enum(LEVELS, { error: `must be one of ${LEVELS.join(', ')}` })
    .default('info')
    .describe('how much is logged to standard error'),
});

type Values = z.output<typeof Settings>;

export type SettingName = keyof Values;

export const SETTING_NAMES = Object.keys(Settings.shape) as SettingName[];

export type Config = Readonly<ReturnType<typeof toConfig>>;

function toConfig(values: Values) {
  return {
    host: values.HOST,
    port: values.PORT,
    /** Undefined: derived from the listen address. */
    baseUrl: values.BASE_URL,
    dataDir: values.DATA_DIR,
    keysDir: values.KEYS_DIR,
    /** Replaces the folder. Never printed, since it may contain a password. */
    databaseUrl: values.DATABASE_URL,
    /** Newest first. Undefined: the database has the secret. */
    visitorSecrets: values.VISITOR_SECRET,
    visitorSecretFolder: values.VISITOR_SECRET_DIR,
    serviceName: values.SERVICE_NAME,
    contact: values.CONTACT ?? null,
    /** Never printed, since it may contain a password. */
    hookUrl: values.HOOK_URL,
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
      writesPerMinuteTotal: values.WRITES_PER_MINUTE_TOTAL,
      reportsPerHour: values.REPORTS_PER_HOUR,
      requestsPerMinute: values.REQUESTS_PER_MINUTE,
      waitsPerNetwork: values.WAITS_PER_NETWORK,
    },
    reportsToHold: values.REPORTS_TO_HOLD,
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

/** `data` of a checkout; the user's data folder for a package, which has no tests; empty without a home. */
function defaultDataDir(): string {
  if (existsSync(join(ROOT, 'test'))) return join(ROOT, 'data');
  return envPaths === undefined ? '' : envPaths('porchlight', { suffix: '' }).data;
}

/** Forms that a valid value does not have, settings that may have them anyway, and what to write instead. */
const MISTAKEN_FORMS: readonly (readonly [form: RegExp, exempt: readonly string[], mistake: string])[] = [
  [
    AROUND_VALUE,
    // It is split at white space.
    ['VISITOR_SECRET'],
    'must have no quotation marks, spaces or carriage returns around it: they would be part of the value.',
  ],
  [
    PLACEHOLDER,
    // Secrets, and URLs whose passwords may look like placeholders.
    ['DATABASE_URL', 'HOOK_URL', 'VISITOR_SECRET'],
    'still contains a placeholder, such as ${HOME} or %APPDATA%: write the value itself.',
  ],
];

export function describeSetting(name: SettingName): string {
  const setting = Settings.shape[name];
  const standard = String(setting.safeParse(undefined).data ?? '');
  return `${setting.description ?? ''}${standard && ` (default: ${standard})`}`;
}

/** An empty variable counts as one that is not set. @throws ConfigError that names every mistake */
export function readConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    SETTING_NAMES.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])),
  );
  for (const [form, exempt, mistake] of MISTAKEN_FORMS) {
    const names = Object.keys(given).filter((name) => !exempt.includes(name) && form.test(given[name] ?? ''));
    if (names.length > 0) throw new ConfigError(names.map((name) => `${name} ${mistake}`).join('\n'));
  }
  const { data, error } = Settings.safeParse(given);
  if (error !== undefined)
    throw new ConfigError(
      error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`).join('\n'),
    );
  if (data.DATA_DIR === '' && data.DATABASE_URL === undefined)
    throw new ConfigError('DATA_DIR is missing, and this user has no home folder for the default.');
  if (data.VISITOR_SECRET !== undefined && data.VISITOR_SECRET_DIR !== undefined)
    throw new ConfigError('VISITOR_SECRET_DIR replaces VISITOR_SECRET: set only one of them.');
  return toConfig(data);
}
