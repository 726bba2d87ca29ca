import fc from 'fast-check';

/** A change of a valid value. It is a function, so that fast-check shrinks the value and its change independently. */
export type Change<Value> = (value: Value) => Value;

/** Characters with a meaning in Unicode, JSON, XML, a URL or a header. */
const CHARACTERS =
  '\0\t\n\r\x1B\x7F\u0085\u00A0\u00AD\u0301\u200B\u200D\u2028\u202E\u2066\uFE0F\uFEFF\uFFFE\u{E0041}\u{10FFFF}' +
  ' "\\{}[],:<>&\'%/?#=;@$+-*';

/** Texts with a meaning in JSON, JavaScript, XML, a URL or a message. */
const WORDS = [
  '__proto__',
  '\\u0000',
  '1e999',
  '"id":2,',
  '%00',
  '%zz',
  '%C0%AF',
  '..',
  '//a.org ',
  'http://a.org ',
  '</pre>',
  '<script>',
  ']]>',
  '&amp;',
  '\r\n\r\n',
  'RESULT:',
  '\uD83D',
];

const hazard = fc.constantFrom(...CHARACTERS, ...WORDS);

/** Texts of hazards, of printable characters, and of any code points, and few long ones. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: fc.string({ unit: hazard, maxLength: 4 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.nat({ max: 20_000 }).map((length) => 'x'.repeat(length)) },
);

/** Names of members that JavaScript reads of any object, promise or array. */
const MEMBER_NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'toJSON', 'then', 'length'];

const hostileName = fc.oneof(fc.constantFrom(...MEMBER_NAMES), hostileText);

const scalar = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, false, 0, 1),
  fc.double({ noNaN: true }),
  fc.maxSafeInteger(),
);

/** JSON values that few fields accept. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 3, arbitrary: fc.dictionary(hostileName, scalar, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.anything({ key: hostileName, values: [scalar], maxDepth: 3, maxKeys: 3 }) },
  {
    weight: 1,
    arbitrary: fc.nat({ max: 60 }).map((depth): unknown => JSON.parse(nested('[', ']', depth))),
  },
);

function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}0${close.repeat(depth)}`;
}

const withMember =
  (name: string, added: unknown) =>
  (value: unknown): unknown =>
    Object.fromEntries([...Object.entries(Object(value) as object), [name, added]]);

/** Changes the value at a position in document order, modulo the number of values, at any depth of a JSON text. */
const valueChange: fc.Arbitrary<Change<string>> = fc
  .record({
    position: fc.nat({ max: 60 }),
    change: fc.oneof(
      { weight: 8, arbitrary: hostileValue.map((hostile) => (): unknown => hostile) },
      { weight: 2, arbitrary: fc.tuple(hostileName, hostileValue).map((member) => withMember(...member)) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          (value: unknown): unknown => [value, value],
          () => undefined,
        ),
      },
    ),
  })
  .map(({ position, change }) => (json) => {
    const value: unknown = JSON.parse(json);
    let count = 0;
    JSON.stringify(value, (_, one: unknown) => (count++, one));
    let index = position % count;
    return JSON.stringify(value, (_, one: unknown) => (index-- === 0 ? change(one) : one)) ?? 'null';
  });

/** Replaces, inserts or removes a run of bytes. */
const splice: fc.Arbitrary<Change<Buffer>> = fc
  .record({
    // In ten-thousandths of the length, so that a place keeps its meaning while fast-check shrinks the bytes.
    place: fc.nat({ max: 10_000 }),
    removed: fc.nat({ max: 40 }),
    inserted: fc.oneof(
      hazard.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
    ),
  })
  .map(({ place, removed, inserted }) => (bytes) => {
    const start = Math.floor((place * bytes.length) / 10_000);
    return Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(start + removed)]);
  });

const several = <Value>(
  change: fc.Arbitrary<Change<Value>>,
  maxLength: number,
): fc.Arbitrary<Change<Value>> =>
  fc
    .array(change, { minLength: 1, maxLength })
    .map((changes) => (value) => changes.reduce((sum, one) => one(sum), value));

/** One to four splices. */
const byteChange = several(splice, 4);

/** Splices of a text of Latin-1 characters. */
export const textChange: fc.Arbitrary<Change<string>> = byteChange.map(
  (change) => (text) => change(Buffer.from(text, 'latin1')).toString('latin1'),
);

/** The greatest body that is read. */
const MAX_BODY_BYTES = 262_144;

/** Random, deep and long bodies. */
export const strangeBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 4, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 4, arbitrary: fc.json().map((json) => Buffer.from(json)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const), fc.nat({ max: 20_000 }))
      .map(([[open, close], depth]) => Buffer.from(nested(open, close, depth))),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: MAX_BODY_BYTES - 1, max: MAX_BODY_BYTES + 1 })
      .map((size) => Buffer.from(JSON.stringify('y'.repeat(size - 2)))),
  },
);

const ENCODINGS: readonly BufferEncoding[] = ['utf8', 'utf16le', 'latin1'];

/** Changes of a body that is JSON; half of them change nothing. */
export const bodyChange: fc.Arbitrary<Change<Buffer>> = fc.oneof(
  { weight: 14, arbitrary: fc.constant((body: Buffer) => body) },
  {
    weight: 14,
    arbitrary: several(valueChange, 3).map(
      (change) => (body: Buffer) => Buffer.from(change(body.toString())),
    ),
  },
  { weight: 4, arbitrary: byteChange },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('', '\uFEFF'), fc.constantFrom(...ENCODINGS)).map(
      ([mark, encoding]) =>
        (body: Buffer) =>
          Buffer.from(`${mark}${body.toString()}`, encoding),
    ),
  },
  { weight: 2, arbitrary: strangeBody.map((bytes) => () => bytes) },
);
