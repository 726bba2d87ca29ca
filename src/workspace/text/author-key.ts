import { hash } from 'node:crypto';
import { toSigner } from '#message/step.ts';
import { normalizeForMatching } from './invisible.ts';
import { MAX_MARKS } from './lengths.ts';

/** The digits of Crockford's base 32 (https://www.crockford.com/base32.html) in the order of their values. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BITS = 5;
const RANDOM_DIGITS = 13;
/** The largest prime below 32 * 32, with which two check digits detect any wrong digit or swapped pair. */
const CHECK_MODULUS = 1021;
const SIGNER_DIGITS = 12;

const KEY = /^PLK([0-9A-TV-Z]{15})$/;
const SEPARATORS = /[\s\p{Pd}_]+/gu;

/** The number of random bytes in one key. */
export const KEY_BYTES = RANDOM_DIGITS;

/** Characters that `normalizeForMatching` turns into letters. Without them, `LETTERS` finds every key. */
const STYLED_LETTER =
  /[\u1D2C-\u1D6A\u2100-\u214F\u24B6-\u24E9\uFF21-\uFF5A\u{1D400}-\u{1D7FF}\u{1F110}-\u{1F189}]/u;
const LETTERS = /p\p{Default_Ignorable_Code_Point}*l\p{Default_Ignorable_Code_Point}*k/iu;

const ENCODED_SEPARATOR = /%2d|%20/gi;
const LEAD_IN = /plk/gi;
/** Ten or more digits of a key, with separators between them. No digit is a separator. */
const WRITTEN_DIGITS = /(?:[\s\p{Pd}_+]*[\da-tv-z]){10,15}/iuy;
/** A key in groups counts even inside a word. */
const GROUPS = /^-[\da-tv-z]{5}-[\da-tv-z]{5}/i;
const LETTER_OR_DIGIT = /[a-z\d]/i;
const MARK = /^\p{M}$/u;
const ESCAPE = /\\[nrt]$/;
/** Ten letters without a digit belong to a key only in one run or in groups of five; else they are words. */
const LETTERS_OF_KEY = /^[\s\p{Pd}_]*(?:[a-tv-z]{10}|[a-tv-z]{5}[\s\p{Pd}_]+[a-tv-z]{5}(?![a-z]))/iu;

/**
 * Parses an author key in any case, with blanks and hyphens anywhere, O for 0, and I and L for 1.
 * @returns its 15 digits, in capitals; `form` if the text is not a key, `check` if the check digits are wrong
 */
export function parseAuthorKey(
  text: string,
): { readonly digits: string } | { readonly wrong: 'form' | 'check' } {
  const [, sent] = KEY.exec(text.replace(SEPARATORS, '').toUpperCase()) ?? [];
  if (sent === undefined) return { wrong: 'form' };
  const digits = sent.replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return digits === withCheckDigits(digits.slice(0, RANDOM_DIGITS)) ? { digits } : { wrong: 'check' };
}

/** Whether two texts are the same key, in any spelling. */
export function isSameKey(one: string, other: string): boolean {
  const [first, second] = [parseAuthorKey(one), parseAuthorKey(other)];
  return 'digits' in first && 'digits' in second && first.digits === second.digits;
}

/** @param bytes `KEY_BYTES` random bytes @returns the 15 digits of a key */
export function createAuthorKey(bytes: Uint8Array): string {
  return withCheckDigits(Array.from(bytes.subarray(0, RANDOM_DIGITS), (byte) => DIGITS[byte & 31]).join(''));
}

/** @param digits of a key @returns the key in the form that callers get: `plk` and three groups */
export function formatAuthorKey(digits: string): string {
  return `plk${digits.replaceAll(/.{5}/g, '-$&')}`;
}

function withCheckDigits(random: string): string {
  let rest = 0;
  for (const digit of random) rest = (rest * DIGITS.length + DIGITS.indexOf(digit)) % CHECK_MODULUS;
  return `${random}${DIGITS[rest >> BITS] ?? ''}${DIGITS[rest & 31] ?? ''}`;
}

/**
 * Returns the signer of a key in a thread: the first 60 bits of a SHA-256. It does not reveal the key, and
 * the signers of one key in two threads have nothing in common.
 * @param digits of the key
 * @returns 12 digits, in capitals
 */
export function signerOf(digits: string, rootId: string): string {
  const hex = hash('sha256', `porchlight author mark 1\n${rootId}\n${digits}`, 'hex');
  const bits = BigInt(`0x${hex.slice(0, (SIGNER_DIGITS * BITS) / 4)}`).toString(32);
  return Array.from(bits.padStart(SIGNER_DIGITS, '0'), (digit) => DIGITS[parseInt(digit, 32)]).join('');
}

/** @returns the signer of a key in a thread, in lower case; undefined without a key */
export type Sign = (rootId: string) => string | undefined;

/**
 * @param authorKey in any form that callers may send; undefined without a key
 * @returns a function that returns undefined if the text is not a key
 */
export function createSigner(authorKey: string | undefined): Sign {
  const key = authorKey === undefined ? undefined : parseAuthorKey(authorKey);
  const digits = key !== undefined && 'digits' in key ? key.digits : undefined;
  let known: { readonly rootId: string; readonly signer: string } | undefined;
  return (rootId) => {
    if (digits === undefined) return undefined;
    if (known?.rootId !== rootId) known = { rootId, signer: toSigner(signerOf(digits, rootId)) };
    return known.signer;
  };
}

/** Whether the key of the call has signed a message. A stored mark may be in capitals. */
export type IsOwn = (message: {
  readonly rootId: string | null;
  readonly mark?: string | null | undefined;
}) => boolean;

export const ownedBy =
  (sign: Sign): IsOwn =>
  ({ rootId, mark }) =>
    rootId !== null && mark != null && toSigner(mark) === sign(rootId);

/**
 * Whether a text contains an author key or most of one: `plk` and ten or more digits, with any check digits.
 * It prevents accidents, not intent.
 */
export function holdsAuthorKey(text: string): boolean {
  if (!LETTERS.test(text) && !STYLED_LETTER.test(text)) return false;
  const plain = normalizeForMatching(text).replaceAll(ENCODED_SEPARATOR, '-');
  for (const { index } of plain.matchAll(LEAD_IN)) {
    if (!startsKey(plain, index)) continue;
    WRITTEN_DIGITS.lastIndex = index + 3;
    const [digits = ''] = WRITTEN_DIGITS.exec(plain) ?? [];
    if (/\d/.test(digits) || LETTERS_OF_KEY.test(digits)) return true;
  }
  return false;
}

/** Whether `plk` at an index begins a word, follows an escape such as `\n`, or begins a key in groups. */
function startsKey(text: string, index: number): boolean {
  // A lookbehind over marks would take quadratic time.
  let before = characterBefore(text, index);
  let end = index;
  for (let marks = 0; marks < MAX_MARKS && MARK.test(before); marks++) {
    end -= before.length;
    before = characterBefore(text, end);
  }
  if (!LETTER_OR_DIGIT.test(before)) return true;
  return (
    ESCAPE.test(text.slice(Math.max(0, index - 2), index)) || GROUPS.test(text.slice(index + 3, index + 15))
  );
}

/** @returns the code point that ends at an index; an empty string at the start */
function characterBefore(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  return (pair.codePointAt(0) ?? 0) > 0xffff ? pair : pair.slice(-1);
}
