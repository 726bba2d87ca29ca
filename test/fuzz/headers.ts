import fc from 'fast-check';
import { KEYS, INVALID_KEYS } from './corpus.ts';
import { hostileText, toHeaderValue } from './texts.ts';

export type Header = readonly [name: string, value: string];

export const JSON_BODY: Header = ['Content-Type', 'application/json'];
export const OWN_HOST: Header = ['Host', '127.0.0.1'];
export const MCP_ACCEPT: Header = ['Accept', 'application/json, text/event-stream'];

const ADDRESSES = [
  '198.51.100.7',
  '2001:db8::1',
  '::ffff:198.51.100.7',
  '[2001:db8::1]:443',
  '198.51.100.7:80',
  'fe80::1%eth0',
  '127.0.0.1',
  '::1',
  'unknown',
  '_hidden',
  '999.1.1.1',
  '1',
  '0x7f.1',
  '0177.0.0.1',
  '::',
  '::ffff:999.1.1.1',
  '198.51.100.7, 10.0.0.1',
  ', ,',
  '198.51.100.7,,',
  '[::1',
  '::1%',
];

/** Valid and invalid values by header name. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  Accept: [
    '*/*',
    'application/json',
    'text/html',
    'text/html, */*;q=0.1',
    'application/*;q=0',
    'application/json;q=0',
    '',
    ';',
    ',',
    'a/b;c="d,e"',
    '*',
    'application/json;q=x',
    'application/json, text/event-stream',
    'text/event-stream, application/json;q=0',
    'application/xml',
  ],
  'Content-Type': [
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf-16',
    'text/plain',
    'application/json;',
    'application/json; a=b; charset=utf8',
    'application/json, text/plain',
    'multipart/form-data; boundary=x',
    '',
    'json',
    '/',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-8; charset=latin1',
    'application/merge-patch+json',
  ],
  'Content-Encoding': ['gzip', 'br', 'deflate', 'identity', 'x', '', 'gzip, identity', 'Identity'],
  'Transfer-Encoding': ['chunked'],
  'Idempotency-Key': [...KEYS, ...KEYS.map((key) => `"${key}"`), ...INVALID_KEYS.map(toHeaderValue)],
  'If-None-Match': ['*', '"x"', 'W/"x"', '"x", "y"', '', '"', 'x'],
  'If-Match': ['*', '"x"'],
  'If-Modified-Since': ['Mon, 02 Mar 2026 16:00:00 GMT', '0', 'x', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  'Cache-Control': ['no-cache', 'max-age=0', 'only-if-cached'],
  Origin: [
    'null',
    'http://localhost',
    'http://localhost:5173',
    'https://zebra.example',
    'http://localhost.zebra.example',
    '',
    'HTTP://LOCALHOST',
  ],
  Host: [
    'localhost',
    '127.0.0.1:1',
    '127.0.0.1:99999',
    '127.0.0.1:',
    '',
    'a b',
    '[::1',
    '[::1]:80',
    'zebra.example',
    '127.0.0.1/x',
    'x@127.0.0.1',
    '127.1',
    '127.0.0.1:0',
    '127.0.0.1#',
    '127.0.0.1:080',
    'a..b',
    '%',
    'xn--',
    'a_b',
    '-',
  ],
  'X-Forwarded-For': ADDRESSES,
  Forwarded: ['for=198.51.100.7', 'for="[2001:db8::1]"'],
  'X-Forwarded-Host': ['zebra.example'],
  'X-Forwarded-Proto': ['https', 'x'],
  'X-HTTP-Method-Override': ['DELETE', 'POST'],
  Range: ['bytes=0-0', 'bytes=9-1', 'bytes=-5', 'bytes=0-,0-,0-', 'x'],
  'If-Range': ['"x"'],
  Expect: ['100-continue', '100-Continue', '200-ok', ''],
  Connection: ['close', 'keep-alive', 'Upgrade', 'keep-alive, x-forwarded-for', ''],
  Upgrade: ['websocket', 'h2c'],
  TE: ['trailers', 'chunked;q=0.5'],
  Authorization: ['Bearer x', 'Basic !!'],
  Cookie: ['a=b', '__proto__=1'],
  'Mcp-Protocol-Version': [
    '2025-11-25',
    '2025-06-18',
    '2024-11-05',
    '2026-07-28',
    '1999-01-01',
    '',
    '2025-11-25,2025-11-25',
  ],
  'Mcp-Session-Id': ['x', '__proto__', ''],
  'Last-Event-ID': ['1', 'x_y'],
  'Access-Control-Request-Method': ['POST', 'DELETE', 'x'],
  'Access-Control-Request-Headers': ['content-type', 'idempotency-key, x', ''],
  'Access-Control-Request-Private-Network': ['true'],
  'Accept-Encoding': ['gzip, br', 'identity;q=0', '*', 'gzip;q=0, *', 'x-gzip;q=0.5', 'gzip;q=9', '', ',;q='],
  'Accept-Charset': ['utf-16'],
  'X-Other': ['1'],
  __proto__: ['x'],
  constructor: ['x'],
};

const NAMES = Object.keys(VALUES);

const known = fc
  .constantFrom(...NAMES)
  .chain((name) => fc.constantFrom(...VALUES[name]!).map((value): Header => [name, value]));

/** Any text in any header except those that frame the body. */
const strange = fc
  .tuple(
    fc.constantFrom(
      ...NAMES.filter((name) => !['Transfer-Encoding', 'Connection', 'Upgrade'].includes(name)),
    ),
    hostileText,
  )
  .map(([name, text]): Header => [name, toHeaderValue(text)]);

const added = fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: strange });

/** Headers that a request has at most once. */
const ONCE = ['host', 'content-type', 'transfer-encoding', 'accept'];

/** The needed headers, often with others added or replacing them, or with one left out. */
export function headersWith(needed: readonly Header[]): fc.Arbitrary<readonly Header[]> {
  const withAdded = fc.array(added, { maxLength: 3 }).map((headers) => {
    const names = headers.map(([name]) => name.toLowerCase());
    const remaining = needed.filter(([name]) => !names.includes(name.toLowerCase()));
    return [
      ...remaining,
      ...headers.filter(([name], index) => {
        const lower = name.toLowerCase();
        return !ONCE.includes(lower) || names.indexOf(lower) === index;
      }),
    ];
  });
  const withOneLeftOut = fc
    .nat({ max: needed.length })
    .map((out) => needed.filter((_, index) => index !== out));
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(needed) },
    { weight: 5, arbitrary: withAdded },
    { weight: 1, arbitrary: withOneLeftOut },
  );
}
