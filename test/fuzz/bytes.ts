import fc from 'fast-check';

type Mutation = (bytes: Buffer) => Buffer;

/** Bytes with a meaning in JSON, UTF-8 or HTTP. */
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  '\\u0000',
  '\\ud800',
  '\\u',
  'null',
  '1e999',
  '-',
  '\r\n',
  '\n',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  'NaN',
  '//',
  '"__proto__":',
  '"\\u005f_proto__":{},',
  '\uFEFF',
  '\u2028',
  '%',
  '%zz',
  '%c0%af',
  '\u202E',
].map((text) => Buffer.from(text));

const INVALID_UTF8 = [
  [0xff],
  [0xfe, 0xff],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xe2, 0x82],
  [0x80],
  [0xef, 0xbb, 0xbf],
].map((bytes) => Buffer.from(bytes));

const piece = fc.oneof(
  fc.constantFrom(...TOKENS, ...INVALID_UTF8),
  fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
);

/**
 * A position in ten-thousandths of the length, so that it keeps its meaning while fast-check shrinks the
 * input.
 */
const position = fc.integer({ min: 0, max: 9999 });

const offsetOf = (bytes: Buffer, share: number): number => Math.floor((share * (bytes.length + 1)) / 10_000);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(position, piece).map(
    ([share, insert]): Mutation =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, offsetOf(bytes, share)),
          insert,
          bytes.subarray(offsetOf(bytes, share)),
        ]),
  ),
  fc.tuple(position, piece).map(
    ([share, replacement]): Mutation =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, offsetOf(bytes, share)),
          replacement,
          bytes.subarray(offsetOf(bytes, share) + replacement.length),
        ]),
  ),
  fc.tuple(position, fc.integer({ min: 0, max: 7 })).map(
    ([share, bit]): Mutation =>
      (bytes) => {
        const copy = Buffer.from(bytes);
        const index = offsetOf(bytes, share);
        if (index < copy.length) copy[index] = copy[index]! ^ (1 << bit);
        return copy;
      },
  ),
  fc.tuple(position, fc.integer({ min: 1, max: 40 })).map(
    ([share, count]): Mutation =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, offsetOf(bytes, share)),
          bytes.subarray(offsetOf(bytes, share) + count),
        ]),
  ),
  fc.tuple(position, fc.integer({ min: 1, max: 40 })).map(
    ([share, count]): Mutation =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, offsetOf(bytes, share) + count),
          bytes.subarray(offsetOf(bytes, share)),
        ]),
  ),
  position.map(
    (share): Mutation =>
      (bytes) =>
        bytes.subarray(0, offsetOf(bytes, share)),
  ),
);

/** Valid bytes with one to four mutations. */
export function mutated(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(bytes, fc.array(mutation, { minLength: 1, maxLength: 4 }))
    .map(([whole, mutations]) => mutations.reduce((sum, mutate) => mutate(sum), whole));
}

/** The same text in encodings that JSON (RFC 8259) does not allow. */
export function misencoded(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  return fc.oneof(
    text.map((whole) => Buffer.from(whole, 'utf16le')),
    text.map((whole) => Buffer.from(whole, 'latin1')),
    text.map((whole) => Buffer.from(`\uFEFF${whole}`)),
    text.map((whole) => Buffer.from(Buffer.from(whole).toString('latin1'))),
  );
}

const DEPTHS = [31, 32, 33, 200, 20_000];

/** Deep, long and random bodies. */
export const strangeBody: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 4, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 4, arbitrary: fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...DEPTHS)
      .map((levels) => Buffer.from('['.repeat(levels) + ']'.repeat(levels))),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...DEPTHS)
      .map((levels) => Buffer.from('{"a":'.repeat(levels) + '1' + '}'.repeat(levels))),
  },
  { weight: 1, arbitrary: fc.constantFrom(262_143, 262_145, 400_000).map((size) => Buffer.alloc(size, 'x')) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(262_144, 262_145)
      .map((size) => Buffer.from(`{"x":"${'y'.repeat(size - 8)}"}`)),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('', ' ', '\0', '"', '{', '}', '{}{}', '[]', 'null', '1e400')
      .map((text) => Buffer.from(text)),
  },
);
