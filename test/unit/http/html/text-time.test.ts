import test from 'node:test';
import fc from 'fast-check';
import { foldMarkup } from '#http/html/fold-markup.ts';
import { parseLabels } from '#message/labels.ts';
import { assertReadSoon, assertSoon, longText, type LongText } from '../../../support/text-time.ts';
import { IS_THOROUGH } from '../../../support/thorough.ts';

const SLOW_ONCE: Readonly<Record<string, LongText>> = {
  'emphasis that nests a thousand deep': { head: '', opening: '*a ', closing: ' a*', shape: 'nest' },
  'a label before blanks': { head: 'Evidence', opening: ' ', closing: 'x', shape: 'follow' },
  'a label and a slash before blanks': { head: 'ends/', opening: ' ', closing: 'x', shape: 'follow' },
  'members d of no key': {
    head: '',
    opening: 'SK0123456789abcdef0123456789abcdef d: "',
    closing: '',
    shape: 'alternate',
  },
};

for (const [what, text] of Object.entries(SLOW_ONCE))
  test(`whatever reads a text takes less than 10 ms for ${what}`, () => {
    assertReadSoon(text);
  });

test('whatever reads a text takes less than 10 ms for marks that repeat or nest', () => {
  const numRuns = IS_THOROUGH ? 120 : 8;
  fc.assert(fc.property(longText, assertReadSoon), { seed: 45, numRuns, endOnFailure: true });
});

test('a fold takes time by the length of the markup, however deep that nests', () => {
  const nested = (length: number): string => {
    const pairs = Math.floor(length / '<em>a</em>b'.length);
    return `<p>${'<em>a'.repeat(pairs)}${'</em>b'.repeat(pairs)}</p>\n`;
  };
  assertSoon('a fold', (length) => nested(4 * length), foldMarkup);
});

test('a label is read in time by the length of its line, whatever blanks follow a slash', () => {
  for (const start of ['ends/', 'ends / a', 'ends / a b c', 'ends / a [x]'])
    assertSoon(
      JSON.stringify(start),
      (length) => `${start}${' '.repeat(10 * length)}x`,
      (line) => parseLabels(line, null),
    );
});
