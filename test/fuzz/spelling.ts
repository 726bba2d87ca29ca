import fc from 'fast-check';
import { headerChange, type Header } from './headers.ts';
import type { Change } from './hostile.ts';
import type { HttpRequest } from './http-request.ts';

const unchanged = <Value>(): fc.Arbitrary<Change<Value>> => fc.constant((value: Value) => value);

/** Changes the pairs of the query; a target without a query stays unchanged. */
const ofPairs =
  (change: Change<readonly string[]>): Change<string> =>
  (target) => {
    const [path, ...query] = target.split('?');
    return query.length === 0 ? target : `${path}?${change(query.join('?').split('&')).join('&')}`;
  };

/** Writes one letter of a text in another way. */
const otherLetter =
  (index: number, spell: (letter: string) => string): Change<string> =>
  (text) => {
    const letters = [...text.matchAll(/[A-Za-z]/g)];
    const { index: at, 0: letter } = letters[index % letters.length] ?? { index: 0, 0: '' };
    return letter === '' ? text : text.slice(0, at) + spell(letter) + text.slice(at + 1);
  };

const hexadecimal = (letter: string): string => letter.charCodeAt(0).toString(16);

/** Other spellings of a target; most of them mean the same. */
const targetSpelling: fc.Arbitrary<Change<string>> = fc.oneof(
  { weight: 3, arbitrary: unchanged<string>() },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('http://127.0.0.1', 'HTTP://localhost:80', '/')
      .map((start) => (target: string) => start + target),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('unknown=1', 'limit=5', 'LIMIT=5', 'limit=5&limit=5', '', '#x')
      .map((pair) => (target: string) => `${target}${target.includes('?') ? '&' : '?'}${pair}`),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      (target: string) => target.replace('?', '/?'),
      (target: string) => target.replaceAll('%20', '+'),
      ofPairs((pairs) => pairs.toReversed()),
      ofPairs((pairs) => [...pairs, ...pairs]),
      ofPairs((pairs) => ['', 'unknown=1', ...pairs, '']),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.nat({ max: 60 }).map((index) => otherLetter(index, (letter) => `%${hexadecimal(letter)}`)),
  },
);

/** The same headers with names in another case, with one twice, or in another order. */
const headerSpelling: fc.Arbitrary<Change<readonly Header[]>> = fc
  .record({
    toCase: fc.constantFrom(
      (name: string) => name,
      (name: string) => name.toLowerCase(),
      (name: string) => name.toUpperCase(),
    ),
    repeated: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.nat({ max: 5 }) },
    ),
    isReversed: fc.boolean(),
  })
  .map(({ toCase, repeated, isReversed }) => (headers) => {
    const again = repeated === undefined ? [] : headers.slice(repeated, repeated + 1);
    const all = [...headers, ...again].map(([name, value]): Header => [toCase(name), value]);
    return isReversed ? all.toReversed() : all;
  });

/** Other spellings of a JSON object, of which some are invalid. */
const bodySpelling: fc.Arbitrary<Change<string>> = fc.oneof(
  { weight: 3, arbitrary: unchanged<string>() },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      (json: string) => ` \t\r\n${json}\n`,
      (json: string) => `\uFEFF${json}`,
      (json: string) => (json.startsWith('{') ? JSON.stringify(JSON.parse(json), undefined, 1) : json),
      (json: string) => json.replace(/^\{/, '{"jsonrpc":"2.0",'),
      (json: string) => json.replace(/\}$/, ',"unknown":1}'),
      (json: string) => json.replace(/\}$/, ',"id":2}'),
      (json: string) => `${json},`,
      (json: string) => json.slice(0, -1),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .nat({ max: 60 })
      .map((index) => otherLetter(index, (letter) => `\\u00${hexadecimal(letter)}`)),
  },
);

/** Spells a request differently, or changes a detail of it. */
export const respelling: fc.Arbitrary<Change<HttpRequest>> = fc
  .record({
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 2, arbitrary: fc.constant('HEAD') },
      { weight: 1, arbitrary: fc.constantFrom('GET', 'POST', 'OPTIONS', 'PUT') },
    ),
    version: fc.oneof(
      { weight: 12, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant('1.0' as const) },
    ),
    spellTarget: targetSpelling,
    changeHeaders: headerChange,
    spellHeaders: headerSpelling,
    spellBody: bodySpelling,
  })
  .map(({ method, version, spellTarget, changeHeaders, spellHeaders, spellBody }) => (request) => ({
    method: method ?? request.method,
    target: spellTarget(request.target),
    headers: spellHeaders(changeHeaders(request.headers)),
    body: request.body && Buffer.from(spellBody(request.body.toString())),
    ...(version && { version }),
  }));
