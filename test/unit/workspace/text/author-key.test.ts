import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';
import {
  createAuthorKey,
  createSigner,
  formatAuthorKey,
  holdsAuthorKey,
  KEY_BYTES,
  signerOf,
  parseAuthorKey,
} from '#workspace/text/author-key.ts';
import { SeededRandom } from '../../../torture/support/random.ts';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ROOT = 'post_019c9a31-6400-7000-8000-000000000001';

const random = new SeededRandom(7);
const bytes = (): Uint8Array => Uint8Array.from({ length: KEY_BYTES }, () => random.below(256));
/** The 15 digits of a key. Never one with a right check in this file: models copy what they read. */
const draw = (): string => createAuthorKey(bytes());

const valueOf = (digits: string): bigint =>
  [...digits].reduce((value, digit) => value * 32n + BigInt(DIGITS.indexOf(digit)), 0n);

test('a key has 13 random digits, then their value modulo 1021', () => {
  for (let n = 0; n < 200; n++) {
    const digits = draw();
    assert.match(digits, /^[0-9A-HJKMNP-TV-Z]{15}$/);
    assert.equal(valueOf(digits.slice(13)), valueOf(digits.slice(0, 13)) % 1021n);
    assert.match(formatAuthorKey(digits), /^plk(?:-[0-9A-Z]{5}){3}$/);
  }
  assert.equal(createAuthorKey(new Uint8Array(KEY_BYTES).fill(255)).slice(0, 13), 'Z'.repeat(13));
});

test('a key is read in any case, with blanks and hyphens anywhere, O for 0, I and L for 1', () => {
  for (let n = 0; n < 50; n++) {
    const digits = draw();
    const key = formatAuthorKey(digits);
    const spellings = [
      key,
      key.toUpperCase(),
      key.toLowerCase(),
      `plk${digits}`,
      ` ${key.replaceAll('-', ' ')}\n`,
      key.replaceAll('-', '\u2011'),
      [...key].join(' '),
      key.replaceAll('0', 'o').replaceAll('1', 'i'),
      `plk-${digits.replaceAll('0', 'O').replaceAll('1', 'L')}`,
    ];
    for (const spelling of spellings) assert.deepEqual(parseAuthorKey(spelling), { digits }, spelling);
  }
});

test('each wrong digit and each swapped pair is found', () => {
  for (let n = 0; n < 20; n++) {
    const digits = draw();
    for (let at = 0; at < digits.length; at++) {
      for (const other of DIGITS) {
        if (other === digits[at]) continue;
        const wrong = `plk-${digits.slice(0, at)}${other}${digits.slice(at + 1)}`;
        assert.deepEqual(parseAuthorKey(wrong), { wrong: 'check' });
      }
      const swapped = `${digits.slice(0, at)}${digits[at + 1] ?? ''}${digits[at]!}${digits.slice(at + 2)}`;
      if (swapped !== digits) assert.deepEqual(parseAuthorKey(`plk-${swapped}`), { wrong: 'check' });
    }
  }
});

test('what has not the form of a key is none', () => {
  const digits = draw();
  for (const text of [
    '',
    'plk',
    digits,
    `plk-${digits}0`,
    `plk-${digits.slice(1)}`,
    `pIk-${digits}`,
    'plk-U'.padEnd(20, 'U'),
  ])
    assert.deepEqual(parseAuthorKey(text), { wrong: 'form' });
});

test('a mark is the first 60 bits of a SHA-256 of the thread and the key', () => {
  for (let n = 0; n < 50; n++) {
    const digits = draw();
    const hex = createHash('sha256').update(`porchlight author mark 1\n${ROOT}\n${digits}`).digest('hex');
    const mark = signerOf(digits, ROOT);
    assert.match(mark, /^[0-9A-HJKMNP-TV-Z]{12}$/);
    assert.equal(valueOf(mark), BigInt(`0x${hex.slice(0, 15)}`));
    assert.notEqual(signerOf(digits, `${ROOT}0`), mark);
  }
});

test('a message has the mark of the key that was sent, in lower case, and none without a key', () => {
  const digits = draw();
  const sign = createSigner(formatAuthorKey(digits));
  for (const rootId of [ROOT, ROOT, `${ROOT}0`])
    assert.equal(sign(rootId), signerOf(digits, rootId).toLowerCase());
  assert.equal(createSigner(undefined)(ROOT), undefined);
});

test('a written key is found in any spelling, whatever its check digits are', () => {
  for (let n = 0; n < 200; n++) {
    const digits = [...draw()].map((digit, at) => (at > 12 ? DIGITS[random.below(32)]! : digit)).join('');
    const key = formatAuthorKey(digits);
    for (const written of [
      key,
      key.toUpperCase(),
      key.toLowerCase(),
      key.slice(0, 15),
      `plk${digits}`,
      `plk ${digits.slice(0, 5)} ${digits.slice(5, 10)} ${digits.slice(10)}`,
      key.replaceAll('-', '\u2013'),
      key.replaceAll('-', '%2D'),
      key.replaceAll('-', '-\u200B'),
      key.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)),
      key.replaceAll('0', 'O').replaceAll('1', 'l'),
    ])
      for (const text of [
        written,
        `my key: ${written}.`,
        `"${written}"`,
        `a\\n${written}`,
        `это ${written}`,
        `x?k=${written}&y`,
        `my${key}`,
        `aplk ${written}`,
        `simplk\u0301 ${written}`,
        `a${'\u0301'.repeat(31)}${written}`,
      ])
        assert.equal(holdsAuthorKey(text), true, text);
  }
});

test('other texts hold no key', () => {
  const texts = [
    ...['plk', 'The prefix plk is followed by groups.', 'plk is short for plukovnik, a colonel'],
    ...['plk. Novak 15. 10. 2020', 'plk-12345-678', 'simplk0123456789abcdef'],
    ...['a link: https://a.example/plk/about-the-thing', 'gOPLkz0123456789abcdefghijk==', 'ＰＬ: 0123456789'],
    ...['pl k0123456789', 'simp\u0301plk0123456789', 'sim\u0301\u{1D165}plk0123456789'],
  ];
  for (const text of texts) assert.equal(holdsAuthorKey(text), false, text);
});
