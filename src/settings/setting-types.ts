import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import proxyaddr from 'proxy-addr';
import * as z from 'zod';

/** Blanks, line ends or quotation marks, which some programs leave around a value from an env file. */
export const AROUND_VALUE = /^\s|\s$|^(["'`]).*\1$/s;

/** A placeholder that a shell, an MCP host or a template should have replaced. */
export const PLACEHOLDER = /\$\{[^}]*\}|^\$[a-z_]|%[a-z_]+%|\{\{/i;

const MAX_CHARACTERS = 10_000;

/** The base of each setting. `abort` stops further rules from running on a text that is too long. */
export const settingText = z
  .string()
  .max(MAX_CHARACTERS, { error: `must have at most ${MAX_CHARACTERS} characters`, abort: true });

/** A whole number from `min` to `max`, inclusive. */
export function numberSetting(min: number, max: number) {
  return settingText
    .refine((text) => /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}

export const wholeNumber = (min: number, max: number, standard: number) =>
  numberSetting(min, max).default(standard);

const list = settingText.transform((text) =>
  text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean),
);

export const ANY = '*';

/** A list of names or `*`. @param normalize returns undefined for an entry that no header can contain */
const accessList = (normalize: (entry: string) => string | undefined, error: string) =>
  list.transform((entries, context) => {
    const names = entries.map((entry) => (entry === ANY ? ANY : normalize(entry)));
    if (names.includes(undefined)) context.addIssue({ code: 'custom', message: error });
    return names.filter((name) => name !== undefined);
  });

/** @returns a URL that consists of a scheme, a host and perhaps a port; undefined for any other text */
function parseHostUrl(text: string): URL | undefined {
  if (/[*@?#\\\s]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.host !== '' && /^\/?$/.test(url.pathname) ? url : undefined;
}

/** Host headers, without the default ports of HTTP and HTTPS, which clients omit. */
export const hostList = accessList((entry) => {
  if (/[/]/.test(entry)) return undefined;
  const host = parseHostUrl(`http://${isIP(entry) === 6 ? `[${entry}]` : entry}`)?.host;
  return host?.replace(/:443$/, '').replace(/\.(:\d+)?$/, '$1');
}, 'must be * for any, or complete host names such as porchlight.example.org, separated by commas');

/** Origin headers: a scheme, a host, and a port unless it is the default. */
export const originList = accessList((entry) => {
  const url = parseHostUrl(entry);
  return url && `${url.protocol}//${url.host}`;
}, 'must be * for any, or complete origins such as https://app.example.org, separated by commas');

/** A base URL that fits into a header: in ASCII (WHATWG URL), without a trailing slash. */
export const baseUrl = settingText
  .refine((text) => /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(text) && URL.canParse(text), {
    error: 'must be an http or https URL without a query, such as https://porchlight.example.org',
  })
  .transform((text) => new URL(text).href.replace(/(?<!\/)\/+$/, ''));

/** 0, or at least 3 networks, since one party can easily use two. */
export const holdSetting = settingText
  .refine((text) => /^(?:0|[3-9]|[1-9]\d|100)$/.test(text), {
    error: 'must be 0, or a whole number from 3 to 100',
  })
  .transform(Number);

/** A URL to which this service sends requests: https, or http to this machine. */
export const hookUrl = settingText.refine(
  (text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname, username } = new URL(text);
    const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
    return username === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal));
  },
  { error: 'must be an https URL without a user name, or an http URL of this machine' },
);

export const folder = settingText
  .refine((text) => !/^(?:[a-z]+:\/\/|postgres(?:ql)?:)/i.test(text), {
    error: 'must be a folder; the URL of a database belongs in DATABASE_URL',
  })
  .refine((text) => !text.startsWith('~'), {
    error: 'must not begin with ~, which only a shell expands: write the whole path',
  })
  .refine((text) => process.platform === 'win32' || !/^[a-z]:[\\/]/i.test(text), {
    error: 'must be a path on this system: drives such as C: exist only on Windows',
  });

export const databaseUrl = settingText
  .refine((text) => !text.includes('#'), {
    error: 'must not contain #, since everything after it would be ignored: write %23, even in a password',
    abort: true,
  })
  .refine((text) => /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text), {
    error: 'must be the URL of a database, such as postgres://user:password@host:5432/porchlight',
  });

export const proxies = list.refine(
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

const SECRET_BYTES = 32;

/**
 * The current secret and, while rotating, the previous one after it, each in base64 or as the path of a file.
 * Messages never repeat a value.
 */
export const visitorSecrets = settingText.transform((text, context): readonly Buffer[] => {
  const secrets = split(text).flatMap(readEntry);
  const error = secrets.some((secret) => secret?.length !== SECRET_BYTES)
    ? 'must be 32 bytes in base64, such as openssl rand -base64 32 prints, or the path of a file with them'
    : secrets.length > 2
      ? 'must be at most two values, the newest first'
      : undefined;
  if (error !== undefined) context.addIssue({ code: 'custom', message: error });
  return secrets.filter((secret) => secret !== undefined);
});

const split = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** @returns undefined for a file that cannot be read or is empty */
function readEntry(entry: string): (Buffer | undefined)[] {
  if (!existsSync(entry)) return [Buffer.from(entry, 'base64')];
  try {
    const secrets = split(readFileSync(entry, 'utf8'));
    return secrets.length === 0 ? [undefined] : secrets.map((secret) => Buffer.from(secret, 'base64'));
  } catch {
    return [undefined];
  }
}
