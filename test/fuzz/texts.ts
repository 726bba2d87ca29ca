import fc from 'fast-check';
import { HOSTILE_TEXTS } from './corpus.ts';

/** Lengths around every limit of a text field. */
const LENGTHS = [
  0, 1, 7, 8, 29, 30, 31, 79, 80, 81, 119, 120, 121, 127, 128, 129, 159, 160, 161, 499, 500, 501, 999, 1000,
  1001, 1499, 1500, 1501, 1999, 2000, 2001, 7999, 8000, 8001, 20_000,
];
const UNITS = [
  'x',
  ' ',
  '\u00E9',
  '\u{1F600}',
  '\u0301',
  '\u4E00',
  '\uD800',
  'a\n',
  '//a.',
  '<',
  '"',
  'http://a.b ',
];

export const sentence = fc.lorem({ maxCount: 12 });

const message = fc
  .tuple(fc.constantFrom('IDEA:\n', 'WORK: ', 'RESULT:', 'REVIEW: ', 'CHANGE: ', ''), sentence)
  .map((parts) => parts.join(''));

const hostileMix = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), sentence), { maxLength: 6 })
  .map((parts) => parts.join(''));

/** Any code units, lone surrogates among them. */
const codeUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));

const long = fc
  .tuple(fc.constantFrom(...UNITS), fc.constantFrom(...LENGTHS))
  .map(([unit, length]) => unit.repeat(Math.max(1, Math.floor(length / unit.length))))
  .map((text) => text.slice(0, 20_000));

/**
 * Valid texts that must be returned unchanged: blank and invisible edges, text that NFC would change, markup.
 */
const EDGES = [
  '',
  ' ',
  '\n',
  '\t',
  '\r\n',
  '\u00A0',
  '\u200B',
  '\uFEFF',
  '\u2067',
  '\u2069',
  'e\u0301',
  '\u212B',
  '\uFB01',
  '\u05D0',
  '\u{1F469}\u200D\u{1F52C}',
  '<b>',
  '&amp;',
  '</pre><script>',
  ']]>',
  '"',
  '\\',
  '\u2028',
  '\u0085',
];

const withEdges = fc
  .tuple(fc.constantFrom(...EDGES), message, fc.constantFrom(...EDGES))
  .map((parts) => parts.join(''));

/** Mostly valid texts. */
export const mostlyValidText = fc.oneof(
  { weight: 3, arbitrary: message },
  { weight: 2, arbitrary: sentence },
  { weight: 3, arbitrary: withEdges },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
);

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: hostileMix },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 2, arbitrary: codeUnits },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  { weight: 1, arbitrary: long },
  { weight: 1, arbitrary: message },
);

/** UTF-8 bytes as a header value, without the characters that Node's client refuses to send. */
export function toHeaderValue(text: string): string {
  return Array.from(Buffer.from(text.slice(0, 3000)).toString('latin1'))
    .filter((character) => {
      const code = character.charCodeAt(0);
      return code === 9 || (code >= 32 && code !== 127);
    })
    .join('');
}
