import assert from 'node:assert/strict';
import test from 'node:test';
import { codePointLength } from '#message/code-points.ts';
import { validateText, type TextRule } from '#workspace/text/text-rules.ts';

const MESSAGE: TextRule = { max: 8000, lines: 'many' };
const NAME: TextRule = { max: 80, lines: 'one' };

const ENGLAND = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}';

const hex = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;

test('codePointLength counts Unicode code points', () => {
  assert.equal(codePointLength(''), 0);
  assert.equal(codePointLength('porch'), 5);
  assert.equal(codePointLength('\u{1F600}'), 1);
  assert.equal(codePointLength('e\u0301'), 2);
  assert.equal(codePointLength('\uD83D'), 1, 'a lone surrogate is one');
  assert.equal(codePointLength('\uDE00\uD83D'), 2, 'a pair in the wrong order is two');
});

const ACCEPTED: Record<string, string> = {
  'a message of 8,000 emoji': '\u{1F600}'.repeat(8000),
  'a message of 8,000 letters': 'a'.repeat(8000),
  'a single character': '.',
  'tab, LF, CR and U+0085': 'a\tb\nc\rd\u0085e\r\nf',
  'line and paragraph separators in a text of many lines': 'a\u2028b\u2029c',
  'white space around something visible': ' \n a \n ',
  isolates: '\u2066a\u2069 \u2067\u05D0\u2069 \u2068b\u2069',
  'left-to-right, right-to-left and Arabic letter marks': 'a\u200Eb\u200Fc\u061C',
  'joiners, the zero width space, the soft hyphen, the byte order mark':
    '\uFEFFa\u200Db\u200Cc\u200Bd\u00ADe\u2060',
  'Zalgo of 30 marks': `Z${'\u0301'.repeat(30)}a${'\u0316'.repeat(30)}`,
  'Hebrew with points and accents':
    '\u05D1\u05B0\u05BC\u05E8\u05B5\u05D0\u05E9\u05C1\u05B4\u0596\u05D9\u05EA',
  'Arabic with marks': '\u0628\u0650\u0633\u0652\u0645\u0650 \u0671\u0644\u0644\u0651\u064E\u0647\u0650',
  Devanagari: '\u0915\u094D\u0937\u093F\u0902 \u0930\u094D\u200D\u092F',
  'Tibetan stacks': '\u0F68\u0F7C\u0F7E\u0F0B\u0F67\u0FB0\u0FA8\u0FB3\u0FBA\u0FBC\u0FBB\u0FB2\u0F82',
  Thai: '\u0E17\u0E35\u0E48\u0E19\u0E35\u0E48 \u0E19\u0E49\u0E33',
  'Mongolian with one free variation selector': '\u182D\u180B\u1820\u180E\u1821\u180F',
  'ideographs with one variation selector each': '\u845B\u{E0100}\u98FE\u{E0101}',
  'private use and unassigned code points': '\uE000\u{10FFFD}\u0378',
  'a replacement character': '\uFFFD',
  'Hangul with a filler': '\u1100\u1160',
};

for (const [name, text] of Object.entries(ACCEPTED)) {
  test(`accepted: ${name}`, () => {
    assert.equal(validateText(text, MESSAGE), null);
  });
}

const REFUSED: Record<string, [text: string, error: RegExp]> = {
  'an empty text': ['', /^is empty: /],
  'spaces and line breaks only': [' \t\r\n\u0085\u00A0\u2003\u3000\u2028', /^is blank: /],
  'invisible characters only': ['\u200B\u200C\u200D\u2060\uFEFF\u00AD\u034F\u061C\u180E', /^is blank: /],
  'Hangul fillers only': ['\u115F\u1160\u3164\uFFA0', /^is blank: /],
  'blank Braille only': ['\u2800', /^is blank: /],
  'variation selectors only': ['\uFE0F\uFE0F', /^is blank: /],
  'hidden tags only': ['\u{E0068}\u{E0069}', /^is blank: /],
  'an override only': ['\u202E', /^is blank: /],
  'a blank text that is also too long': [' '.repeat(8001), /^has 8001 characters /],
  '8,001 characters': ['a'.repeat(8001), /^has 8001 characters and may have at most 8000: shorten it by 1$/],
  '9,000 emoji': ['\u{1F600}'.repeat(9000), /^has 9000 characters .*: shorten it by 1000$/],
  'a text that is too long and holds a control': [`\u0000${'a'.repeat(8000)}`, /^has 8001 characters/],
  'a lone high surrogate': ['ab\uD83D', /surrogate pair \(U\+D83D\) at position 2:/],
  'a lone low surrogate': ['\uDE00ab', /surrogate pair \(U\+DE00\) at position 0:/],
  'surrogates in the wrong order': ['a\uDE00\uD83Db', /surrogate pair \(U\+DE00\) at position 1:/],
  'NUL, counted after emoji': [
    '\u{1F600}\u{1F600}a\u0000',
    /^contains a control character \(U\+0000\) at position 3: remove it$/,
  ],
  'a flag that is not closed': [
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}.',
    /invisible format character .* at position 1:/,
  ],
  'tags after a whole flag': [`${ENGLAND}\u{E0067}`, /invisible format character .* at position 7:/],
  'two variation selectors in a row': ['\u2764\uFE0F\uFE0E', /run of variation selectors at position 1:/],
  'a mixed run of variation selectors': ['\u182D\u180B\uFE00', /run of variation selectors at position 1:/],
  '31 combining marks in a row': [
    `Za${'\u0301'.repeat(31)}`,
    /more than 30 combining marks in a row at position 2:/,
  ],
  '31 marks with a variation selector among them': [
    `Z${'\u0301'.repeat(15)}\uFE0F${'\u0316'.repeat(15)}`,
    /more than 30 combining marks in a row at position 1:/,
  ],
  'a run of marks around a run of variation selectors, with the error of the marks, which begin first': [
    `Z${'\u0301'.repeat(10)}\uFE0F\uFE0F${'\u0301'.repeat(20)}`,
    /combining marks in a row at position 1:/,
  ],
  'several forbidden characters, with the error of the first': [
    'a\u202Eb\u0000',
    /\(U\+202E\) at position 1:/,
  ],
};

for (const [name, [text, error]] of Object.entries(REFUSED)) {
  test(`refused: ${name}`, () => {
    assert.match(String(validateText(text, MESSAGE)), error);
  });
}

const PLANES = Array.from({ length: 17 }, (_, plane) => (plane === 0 ? '' : plane.toString(16)));

/** What is refused, in ranges of code points, and what the error says to do. */
const FORBIDDEN: Readonly<Record<string, readonly [ranges: string, advice: string]>> = {
  'a control character': ['0-1F 7F-9F', 'remove it'],
  'a noncharacter': [
    `FDD0-FDEF ${PLANES.map((plane) => `${plane}FFFE-${plane}FFFF`).join(' ')}`,
    'remove it',
  ],
  'a bidirectional embedding or override': ['202A-202E', 'remove it or use isolates'],
  // Those that no script needs.
  'an invisible format character': [
    '2061-2064 206A-206F FFF9-FFFB 1D173-1D17A E0000-E00FF E01F0-E0FFF',
    'remove it',
  ],
};

for (const [what, [ranges, advice]] of Object.entries(FORBIDDEN))
  test(`every character that is ${what} is refused, except tab, LF, CR and U+0085 in a text of many lines`, () => {
    for (const range of ranges.split(' ')) {
      const [first = 0, last = 0] = range.split('-').map((code) => Number.parseInt(code, 16));
      for (let code = first; code <= last; code++) {
        const error = validateText(`葛${String.fromCodePoint(code)}b`, MESSAGE);
        const refusal = `contains ${what} (${hex(code)}) at position 1: ${advice}`;
        assert.equal(error, [0x09, 0x0a, 0x0d, 0x85].includes(code) ? null : refusal, hex(code));
      }
    }
  });

test('a single-line text with any line break is refused', () => {
  for (const lineBreak of ['\n', '\r', '\r\n', '\u0085', '\u2028', '\u2029']) {
    const error = validateText(`abc${lineBreak}d`, NAME);
    const message = 'contains a line break at position 3 and must be a single line';
    assert.equal(error, message, JSON.stringify(lineBreak));
  }
  assert.equal(validateText('a\tb', NAME), null);
  assert.equal(validateText(`${ENGLAND} \u{1F469}\u200D\u{1F52C}`, NAME), null);
  assert.match(String(validateText('a\u0007', NAME)), /control character \(U\+0007\)/);
});

test('an error never repeats the text', () => {
  for (const [text] of Object.values(REFUSED)) {
    const error = validateText(text, MESSAGE) ?? '';
    assert.match(error, /^[\x20-\x7E]{10,150}$/);
  }
  assert.doesNotMatch(String(validateText('SECRETWORD\u0000', MESSAGE)), /SECRETWORD/);
});
