import fc from 'fast-check';
import { hostileText, textChange, type Change } from './hostile.ts';
import { idempotencyKey } from './values.ts';

export type Header = readonly [name: string, value: string];

export const JSON_BODY: Header = ['Content-Type', 'application/json'];
export const OWN_HOST: Header = ['Host', '127.0.0.1'];
export const MCP_ACCEPT: Header = ['Accept', 'application/json, text/event-stream'];

/** Lists with parameters, as in Accept. */
const listOf = (items: readonly string[], parameters: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...items), fc.constantFrom('', '', ...parameters)), { maxLength: 3 })
    .map((parts) => parts.map((part) => part.join('')).join(', '));

const WEIGHTS = [';q=0', ';q=0.5', '; q=1.0', ';q=x'];
const TYPES = [
  '*/*',
  'application/json',
  'Text/HTML',
  'application/*',
  'application/xml',
  'text/event-stream',
  'text/markdown',
];

const address = fc.oneof(
  fc.constant('198.51.100.7'),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.constant('fe80::1%eth0'),
);

const host = fc.oneof(
  fc.constantFrom('localhost', 'zebra.example', ''),
  fc.webAuthority({
    withPort: true,
    withIPv4: true,
    withIPv4Extended: true,
    withIPv6: true,
    withUserInfo: true,
  }),
);

const VALUES: readonly (readonly [name: string, values: fc.Arbitrary<string>])[] = [
  ['Accept', listOf(TYPES, WEIGHTS)],
  ['Accept-Encoding', listOf(['gzip', 'GZIP', 'x-gzip', 'br', 'identity', '*'], WEIGHTS)],
  ['Accept-Language', fc.constant('en')],
  [
    'Content-Type',
    listOf(
      ['application/json', 'Application/JSON', 'text/plain', 'application/problem+json'],
      ['; charset=utf-8', ';charset="UTF-8"', ';charset=latin1'],
    ),
  ],
  ['Content-Encoding', fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'gzip, identity')],
  ['Transfer-Encoding', fc.constant('chunked')],
  [
    'Idempotency-Key',
    fc.tuple(fc.constantFrom('', '"'), idempotencyKey).map(([quote, key]) => quote + key + quote),
  ],
  ['If-None-Match', listOf(['*', '"x"', 'W/"x"'], [])],
  ['If-Match', fc.constant('*')],
  ['If-Modified-Since', fc.date().map(String)],
  ['Cache-Control', fc.constantFrom('no-cache', 'max-age=0', 'only-if-cached')],
  [
    'Origin',
    fc.oneof(
      fc.constantFrom('null', 'http://localhost', 'https://zebra.example'),
      host.map((name) => `http://${name}`),
    ),
  ],
  ['Sec-Fetch-Site', fc.constantFrom('cross-site', 'same-origin')],
  ['Host', host],
  [
    'X-Forwarded-For',
    fc
      .array(
        fc.oneof(
          address,
          address.map((one) => `[${one}]:443`),
        ),
        { maxLength: 2 },
      )
      .map((all) => all.join(', ')),
  ],
  ['X-Forwarded-Host', host],
  ['X-Forwarded-Proto', fc.constantFrom('https', 'x')],
  ['X-HTTP-Method-Override', fc.constantFrom('DELETE', 'POST')],
  ['Range', fc.constantFrom('bytes=0-0', 'bytes=9-1', 'bytes=0-,0-,0-')],
  ['Expect', fc.constantFrom('100-continue', '200-ok')],
  ['Connection', fc.constantFrom('close', 'keep-alive', 'keep-alive, x-forwarded-for')],
  ['Authorization', fc.constant('Bearer x')],
  ['Cookie', fc.constant('__proto__=1')],
  ['Mcp-Protocol-Version', fc.constantFrom('2025-11-25', '2025-06-18', '2026-07-28', '1999-01-01')],
  ['Mcp-Method', fc.constantFrom('tools/list', 'tools/call')],
  ['Mcp-Name', fc.constantFrom('read_feed', '__proto__')],
  ['Mcp-Session-Id', fc.constant('x')],
  ['Last-Event-ID', fc.constant('1')],
  ['Access-Control-Request-Method', fc.constantFrom('POST', 'x')],
  ['Access-Control-Request-Headers', fc.constantFrom('content-type', 'idempotency-key, x')],
  ['constructor', fc.constant('x')],
];

/** Headers that frame the message: with any text in them the client could not read the response. */
const FRAMING = ['Transfer-Encoding', 'Connection'];

/** A header value has no controls and is Latin-1; other texts are sent as UTF-8. */
const inHeader = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t -~\u0080-\u00FF]/g, '');

const header: fc.Arbitrary<Header> = fc.constantFrom(...VALUES).chain(([name, values]) =>
  fc
    .oneof(
      { weight: 8, arbitrary: values },
      ...(FRAMING.includes(name)
        ? []
        : [
            { weight: 1, arbitrary: fc.tuple(values, textChange).map(([value, change]) => change(value)) },
            { weight: 1, arbitrary: hostileText },
          ]),
    )
    .map((value): Header => [name, inHeader(value)]),
);

/** Adds, replaces or leaves out headers; two fifths of the changes change nothing. */
export const headerChange: fc.Arbitrary<Change<readonly Header[]>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant((headers: readonly Header[]) => headers) },
  {
    weight: 5,
    arbitrary: fc
      .uniqueArray(header, { minLength: 1, maxLength: 3, selector: ([name]) => name })
      .map((added) => (headers: readonly Header[]) => [
        ...headers.filter(([name]) => !added.some(([other]) => other === name)),
        ...added,
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .nat({ max: 5 })
      .map((index) => (headers: readonly Header[]) => headers.toSpliced(index % headers.length, 1)),
  },
);
