import fc from 'fast-check';
import { fillIn } from '#tool/route.ts';
import { CURSORS, INVALID_CURSORS, POST_IDS, PROJECT_IDS, UNKNOWN_IDS } from './corpus.ts';
import { hostileText } from './texts.ts';

/** Percent-encodes every reserved character. */
const encoded = (text: string): string =>
  Array.from(Buffer.from(text.slice(0, 9000)), (byte) =>
    /[\w.~-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');

const RAW_SEGMENTS = [
  '%',
  '%zz',
  '%C0%AF',
  '%ff',
  '%00',
  '%2e%2e%2f',
  '..',
  ';x=1',
  ':',
  '{}',
  '|',
  '^',
  '`',
  '<>',
  '\\',
  '+',
  '&',
  '=',
  '%ED%A0%80',
  '%25',
  '[]',
  '\u00E9',
  '@',
];

const segment = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...(name === 'projectId' ? PROJECT_IDS : POST_IDS)) },
    { weight: 2, arbitrary: fc.constantFrom(...UNKNOWN_IDS).map(encoded) },
    { weight: 1, arbitrary: fc.constantFrom(...RAW_SEGMENTS) },
    { weight: 1, arbitrary: hostileText.map(encoded) },
  );

const QUERY_VALUES = [
  '0',
  '1',
  '2',
  '100',
  '101',
  '200',
  '201',
  '-1',
  '05',
  '1e1',
  '1.0',
  '+5',
  '',
  '0x10',
  'NaN',
  'true',
  '5&limit=6',
  '9'.repeat(30),
];
const STRANGE_QUERIES = [
  '?',
  '&&&',
  '=',
  '%',
  '%ff=1',
  'limit=5?limit=6',
  'limit[]=5',
  'limit[__proto__]=1',
  '__proto__=1',
  '#x',
  'limit',
  '=&=',
  'a'.repeat(9000),
];

const pair = (names: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('limit', 'before', 'after', ...names) },
        { weight: 1, arbitrary: hostileText.map(encoded) },
      ),
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...QUERY_VALUES) },
        { weight: 4, arbitrary: fc.constantFrom(...CURSORS).map(encoded) },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom(...CURSORS, ...INVALID_CURSORS)
            .map((text) => text.replaceAll(' ', '%20')),
        },
        { weight: 2, arbitrary: hostileText.map(encoded) },
      ),
    )
    .map((parts) => parts.join('='));

const query = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    {
      weight: 6,
      arbitrary: fc.array(pair(names), { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`),
    },
    { weight: 1, arbitrary: fc.constantFrom(...STRANGE_QUERIES).map((text) => `?${text}`) },
  );

/** Targets that match a path template, or almost do. */
export function target(template: string, names: readonly string[]): fc.Arbitrary<string> {
  const parameters = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const segments = fc.record(Object.fromEntries(parameters.map((name) => [name, segment(name)])));
  return fc
    .tuple(
      segments,
      fc.oneof(
        { weight: 15, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom('/', '//', '/x', '.') },
      ),
      query(names),
    )
    .map(([filled, end, search]) =>
      fillIn(template, (name) => filled[name] ?? '')
        .concat(end, search)
        .replaceAll(/[^!-\u00FF]/g, ''),
    );
}

const RARE_TARGETS = [
  '*',
  '/',
  '//',
  '/%',
  '/api',
  '/api//feed',
  '/Api/feed',
  '/api/%66eed',
  '/.env',
  '/__proto__',
  '/mcp/x',
  '/MCP',
  '/favicon.ico',
  '/#',
  '/api/feed#x',
  '/\\',
  '/api\\feed',
  '\u00A0',
  '?',
  'x',
  'http://127.0.0.1/api/feed',
  'http://zebra.example/mcp',
  'http://[',
  'http://a:b/',
  'http:',
  'http://',
  'javascript:1',
  '//zebra.example/api/feed',
  '/\u00FF',
  '/api/feed\u00E9',
  'http://[::1]:x/',
  '//[',
  '/#http://[',
  'mailto:x',
  'http://%/',
  '/.',
  '/..',
];

/** Targets without a route, and rare spellings of targets. */
export const strayTarget = fc.oneof(
  fc.constantFrom(...RARE_TARGETS),
  hostileText.map((text) => `/${encoded(text)}`),
);
