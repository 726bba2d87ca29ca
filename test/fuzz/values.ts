import fc from 'fast-check';
import type { AnyTool } from '#tool/define-tool.ts';
import { inputSchema, type JsonSchema } from '#tool/json-schema.ts';
import { createAuthorKey, formatAuthorKey, KEY_BYTES } from '#workspace/text/author-key.ts';
import { POST_IDS, PROJECT_IDS, UNKNOWN_IDS } from './corpus.ts';
import { hostileText, hostileValue } from './hostile.ts';

/** Few keys, so that some repeat. */
export const idempotencyKey = fc.oneof(
  fc.constantFrom('fuzz-key-one', 'fuzz-key-two'),
  fc.stringMatching(/^[A-Za-z0-9._:-]{7,129}$/),
);

/** Few keys, so that messages have one mark; and values that count as none, or are refused. */
const authorKey = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .integer({ min: 0, max: 3 })
      .map((n) => formatAuthorKey(createAuthorKey(new Uint8Array(KEY_BYTES).fill(n)))),
  },
  { weight: 2, arbitrary: fc.constantFrom('', 'none', 'plk-', 'plk-XXXXX-XXXXX-XXXXX') },
);

export const id = (kind: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...(kind === 'project' ? PROJECT_IDS : POST_IDS)) },
    { weight: 1, arbitrary: fc.constantFrom(...UNKNOWN_IDS) },
  );

/** Times around those of the records, to any fraction of a second and in any zone, and few that no calendar has. */
export const cursor: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(
        fc.date({
          min: new Date('2026-03-02T00:00Z'),
          max: new Date('2026-03-03T00:00Z'),
          noInvalidDate: true,
        }),
        fc.stringMatching(/^\d{0,9}(?:Z|[+-][01]\d:[0-5]\d)$/),
      )
      .map(([date, end]) => date.toISOString().replace('Z', end)),
  },
  {
    weight: 1,
    arbitrary: fc.stringMatching(
      /^\d{4}-[01]\d-[0-3]\d[Tt ][0-2]\d:\d\d:[0-6]\d(?:\.\d{0,12})?(?:[Zz]|[+-]\d\d:\d\d)?$/,
    ),
  },
);

const text: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('IDEA:\n', 'WORK: ', 'RESULT:', 'REVIEW: ', 'CHANGE: ', ''),
        fc.lorem({ maxCount: 12 }),
      )
      .map((parts) => parts.join('')),
  },
  { weight: 2, arbitrary: fc.tuple(hostileText, fc.lorem(), hostileText).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
);

/** Texts of a length around the limit. */
const longText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('x', ' ', '\u{1F600}', '\u0301', '<', 'a\n', 'http://a.b '),
      fc.constantFrom(-1, 0, 1),
    )
    .map(([unit, more]) => unit.repeat(maxLength).slice(0, maxLength + more));

/** Values by the schema of a field, so that a new tool is fuzzed without a change here. */
function valid(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  const { type, format, pattern, minimum = 0, maximum = 1000, maxLength, items } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum });
  if (type === 'boolean') return fc.boolean();
  if (items !== undefined) return fc.array(valid(name, items), { minLength: 1, maxLength: 3 });
  if (format === 'date-time' || name === 'after') return cursor;
  if (pattern !== undefined) return id(/^\^(\w+)_/.exec(pattern)![1]!);
  if (name === 'idempotencyKey') return idempotencyKey;
  if (name === 'authorKey') return authorKey;
  if (name === 'url') return fc.webUrl({ withQueryParameters: true, withFragments: true });
  if (maxLength === undefined) return text;
  const short = text.map((whole) =>
    (maxLength < 400 ? whole.replaceAll(/\s/g, ' ') : whole).slice(0, maxLength),
  );
  return fc.oneof({ weight: 20, arbitrary: short }, { weight: 1, arbitrary: longText(maxLength) });
}

/** Valid values of the arguments in a query. Without the seconds to wait a call does not wait. */
export function queryFieldsOf(tool: AnyTool): Record<string, fc.Arbitrary<unknown>> {
  const fields = Object.entries(inputSchema(tool).properties)
    .filter(([name]) => name !== tool.waiting?.secondsArgument)
    .map(([name, schema]) => [name, valid(name, schema)] as const);
  return Object.fromEntries(fields);
}

/**
 * The arguments of a call; one value of thirteen is hostile. A call that waits for minutes would end the campaign,
 * so it waits for no time.
 */
export function argumentsFor(tool: AnyTool): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(queryFieldsOf(tool)).map(
    ([name, values]) =>
      [name, fc.oneof({ weight: 12, arbitrary: values }, { weight: 1, arbitrary: hostileValue })] as const,
  );
  const waiting = tool.waiting && { [tool.waiting.secondsArgument]: fc.constant(0) };
  return fc.record(
    { ...Object.fromEntries(fields), ...waiting },
    {
      requiredKeys: [...(inputSchema(tool).required ?? []), ...Object.keys(waiting ?? {})],
      noNullPrototype: true,
    },
  );
}
