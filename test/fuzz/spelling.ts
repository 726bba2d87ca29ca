import fc from 'fast-check';
import type { Header } from './headers.ts';

type Respell = (target: string) => string;

const percentEncoded = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Changes the pairs of the query; a target without a query stays unchanged. */
const ofPairs =
  (change: (pairs: readonly string[]) => readonly string[]): Respell =>
  (target) => {
    const at = target.indexOf('?');
    return at < 0 ? target : `${target.slice(0, at)}?${change(target.slice(at + 1).split('&')).join('&')}`;
  };

const withPair =
  (pair: string): Respell =>
  (target) =>
    `${target}${target.includes('?') ? '&' : '?'}${pair}`;

const nameEncoded = ofPairs((pairs) =>
  pairs.map((pair) =>
    /^\w/.test(pair) ? percentEncoded(pair.slice(0, 1)).toUpperCase() + pair.slice(1) : pair,
  ),
);

const valueEncoded = ofPairs((pairs) =>
  pairs.map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    return /^\w+$/.test(value) ? `${name}=${percentEncoded(value)}` : pair;
  }),
);

/** Other spellings of a target; most of them are equivalent. */
const RESPELLINGS: readonly Respell[] = [
  (target) => target,
  (target) => target,
  (target) => target,
  (target) => `http://127.0.0.1${target}`,
  (target) => `HTTP://localhost:80${target}`,
  (target) => `/${target}`,
  (target) => target.replace('?', '/?'),
  (target) => `${target}?`,
  (target) => `${target}#x`,
  withPair('unknown=1'),
  withPair('limit=5'),
  withPair('LIMIT=5'),
  withPair('limit=5&limit=5'),
  withPair(''),
  ofPairs((pairs) => ['unknown=1', ...pairs]),
  ofPairs((pairs) => pairs.toReversed()),
  ofPairs((pairs) => [...pairs, ...pairs]),
  ofPairs((pairs) => ['', ...pairs, '']),
  nameEncoded,
  valueEncoded,
  (target) => target.replaceAll('%20', '+'),
  (target) => target.replace('/api/', '/%61pi/'),
];

export const respelling: fc.Arbitrary<Respell> = fc.constantFrom(...RESPELLINGS);

const NAME_CASES: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toLowerCase(),
  (name) => name.toUpperCase(),
];

/** The same headers with names in another case, with one twice, or in another order. */
export const headerSpelling: fc.Arbitrary<(headers: readonly Header[]) => readonly Header[]> = fc
  .tuple(
    fc.constantFrom(...NAME_CASES),
    fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) }),
    fc.boolean(),
  )
  .map(([toCase, doubled, isReversed]) => (headers: readonly Header[]) => {
    const again = doubled === undefined ? undefined : headers[doubled % Math.max(1, headers.length)];
    const all = [...headers, ...(again === undefined ? [] : [again])];
    return (isReversed ? all.toReversed() : all).map(([name, value]): Header => [toCase(name), value]);
  });

/** Other spellings of the same JSON, and two that are not valid JSON. */
const BODY_SPELLINGS: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => json,
  (json) => json,
  (json) => `${json}\n`,
  (json) => ` \t\r\n${json} `,
  (json) => `\uFEFF${json}`,
  (json) => json.replaceAll('":', '" : '),
  (json) => json.replace('"jsonrpc"', '"\\u006asonrpc"'),
  (json) => json.replace('read_feed', '\\u0072ead_feed'),
  (json) => json.replace(/^\{/, '{"jsonrpc":"2.0",'),
  (json) => json.replace(/\}$/, ',"unknown":1}'),
  (json) => json.replace(/\}$/, ',"id":2}'),
  (json) => `${json},`,
  (json) => json.slice(0, -1),
];

export const bodySpelling = fc.constantFrom(...BODY_SPELLINGS);
