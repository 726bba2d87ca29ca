import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cutText } from '#message/code-points.ts';

const FLAG = '\u{1F1E9}\u{1F1EA}';
const FAMILY = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}';

const CUTS: [name: string, text: string, max: number, cut: string][] = [
  ['letters', 'abcdef', 4, 'abcd'],
  ['a text that is short enough', 'abc', 4, 'abc'],
  ['a text of exactly the length', `ab${FLAG}`, 4, `ab${FLAG}`],
  ['a flag', `abc${FLAG}x`, 4, 'abc'],
  ['between two flags', `${FLAG}${FLAG}`, 2, FLAG],
  ['within the second of two flags', `${FLAG}${FLAG}`, 3, FLAG],
  ['a family', `a${FAMILY}b`, 3, 'a'],
  ['a letter with a mark', 'abe\u0301f', 3, 'ab'],
  ['a syllable of Hindi', 'ab\u0915\u093Fc', 3, 'ab'],
  ['a line end', 'a\r\nb', 2, 'a'],
  ['Han', '\u4E2D\u6587\u4E2D', 2, '\u4E2D\u6587'],
  ['a letter with many marks', `a${'\u0301'.repeat(100)}`, 4, `a${'\u0301'.repeat(3)}`],
];

describe('a text is cut between graphemes', () => {
  for (const [name, text, max, cut] of CUTS)
    it(name, () => {
      assert.equal(cutText(text, max), cut);
    });
});
