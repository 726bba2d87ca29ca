import { isIP } from 'node:net';
import proxyaddr from 'proxy-addr';
import * as z from 'zod';

/** A whole number, both bounds included. */
export function numberSetting(least: number, most: number) {
  return z
    .string()
    .refine((text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number);
}

export const wholeNumber = (least: number, most: number, otherwise: number) =>
  numberSetting(least, most).default(otherwise);

/** Entries separated by commas, in lower case. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter(Boolean),
);

/** The entry of ALLOWED_HOSTS and ALLOWED_ORIGINS that stands for any. */
export const ANY = '*';

export const accessList = list.refine(
  (entries) => entries.every((entry) => entry === ANY || !entry.includes('*')),
  {
    error: 'must be * for any, or complete names separated by commas; patterns are not supported',
  },
);

/** A web address as headers can have it: in ASCII (WHATWG URL), without a slash at its end. */
export const webAddress = z
  .string()
  .refine((text) => /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/i.test(text) && URL.canParse(text), {
    error: 'must be an http or https address without query, such as https://porchlight.example.org',
  })
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

/** 0, or enough networks that one party has trouble to have them. */
export const holdSetting = z
  .string()
  .refine((text) => /^(?:0|[3-9]|[1-9]\d|100)$/.test(text), {
    error: 'must be 0, or a whole number from 3 to 100',
  })
  .transform(Number);

/** A web address to which this service sends requests: https, or http to this machine. */
export const hookAddress = z.string().refine(
  (text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname, username } = new URL(text);
    const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
    return username === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal));
  },
  { error: 'must be an https address without a user name, or http to this machine' },
);

export const folder = z.string().refine((text) => !/^(?:[a-z]+:\/\/|postgres(?:ql)?:)/i.test(text), {
  error: 'must be a folder; the address of a database belongs in DATABASE_URL',
});

export const databaseUrl = z
  .string()
  .refine((text) => /^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text), {
    error: 'must be the address of a database, such as postgres://user:password@host:5432/porchlight',
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
