import fc from 'fast-check';
import { fillIn } from '#tool/route.ts';
import { hostileText, textChange, type Change } from './hostile.ts';
import { cursor, id } from './values.ts';

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** A part of a target is mostly encoded. */
const part = (values: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: values.map((value) => encoded(String(value))) },
    { weight: 1, arbitrary: hostileText.map(encoded) },
    { weight: 1, arbitrary: hostileText },
  );

/** The parameters that several documents take. */
const PAGE_FIELDS: Fields = { limit: fc.integer({ min: -1, max: 201 }), before: cursor, after: cursor };

const pair = (fields: Fields): fc.Arbitrary<string> =>
  fc
    .oneof(
      ...Object.entries(fields).map(([name, values]) => fc.tuple(part(fc.constant(name)), part(values))),
      fc.tuple(part(fc.constantFrom(...Object.keys(PAGE_FIELDS))), part(fc.nat())),
    )
    .map((parts) => parts.join('='));

const query = (fields: Fields): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant('') },
    {
      weight: 6,
      arbitrary: fc.array(pair(fields), { minLength: 1, maxLength: 3 }).map((pairs) => `?${pairs.join('&')}`),
    },
  );

/** A request line ends at a blank, and is Latin-1. */
const inRequestLine = (target: string): string => target.replaceAll(/[^!-~\u00A1-\u00FF]/g, '') || '/';

/** Targets that match a path template, or almost do. @param fields of the query; without them those of a page */
export function target(template: string, fields: Fields = PAGE_FIELDS): fc.Arbitrary<string> {
  const parameters = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const segments = fc.record(
    Object.fromEntries(parameters.map((name) => [name, part(id(name.replace('Id', '')))])),
  );
  const others = Object.entries(fields).filter(([name]) => !parameters.includes(name));
  return fc
    .tuple(segments, query(Object.fromEntries(others)))
    .map(([filled, search]) => inRequestLine(fillIn(template, (name) => filled[name]!) + search));
}

/** Targets without a route, and rare spellings of targets. */
export const strayTarget: fc.Arbitrary<string> = fc
  .oneof(
    fc.webPath(),
    fc.webUrl(),
    fc.constantFrom(
      '*',
      '/',
      '/.env',
      '/Api/feed',
      '/mcp/x',
      '//zebra.example/api/feed',
      'mailto:x',
      'http://[',
    ),
  )
  .map(inRequestLine);

/** Changes few of the targets. */
export const targetChange: fc.Arbitrary<Change<string>> = fc.oneof(
  { weight: 10, arbitrary: fc.constant((target: string) => target) },
  { weight: 1, arbitrary: textChange.map((change) => (target: string) => inRequestLine(change(target))) },
);
