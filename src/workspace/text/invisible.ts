import emojiRegex from 'emoji-regex';
import { brotliDecompressSync } from 'node:zlib';
import { codePointLength } from '#message/code-points.ts';
import { LISTED_VARIATIONS } from './listed-variations.ts';

/** The longest run of invisible characters. */
const MAX_RUN = 8;

/** The share of a text that may be invisible. Any text may have as many as two of the longest runs. */
const MAX_SHARE = 0.1;

/** Unicode property of DerivedCoreProperties.txt. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const LONG_RUN = new RegExp(`\\p{Default_Ignorable_Code_Point}{${MAX_RUN + 1}}`, 'u');

/** The sequences of emoji-test.txt (Unicode Technical Standard #51). */
const EMOJI_SEQUENCE = emojiRegex();

/** One visible letter or combining mark. */
const LETTER = '(?:(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}])';
/** European letters need no joiner. */
const JOINED_LETTER = `(?:(?![\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}])${LETTER})`;
const UNSPACED_LETTER = `(?:(?=[\\p{scx=Khmer}\\p{scx=Lao}\\p{scx=Myanmar}\\p{scx=Thai}])${LETTER})`;

/**
 * ZERO WIDTH JOINER and NON-JOINER between two letters, as in Persian and Hindi (Unicode Standard, section
 * 23.2); the first letter may have a variation selector. ZERO WIDTH SPACE separates words in scripts without
 * spaces, as often as every fifth letter. MONGOLIAN VOWEL SEPARATOR precedes a last vowel.
 */
const JOINER = new RegExp(
  `(?<=${JOINED_LETTER}\\p{Variation_Selector}?)[\\u200C\\u200D](?=${JOINED_LETTER})|` +
    `(?<=${UNSPACED_LETTER})\\u200B(?=${UNSPACED_LETTER})|` +
    '(?<=\\p{Script=Mongolian})\\u180E(?=\\p{Script=Mongolian})',
  'gu',
);

const VARIATION = /(.)\p{Variation_Selector}/gsu;

/**
 * Refuses texts with many invisible characters, which can hide a message that models read and people do not
 * see. A default-ignorable character counts unless it belongs to an emoji or to a listed variation sequence,
 * or joins two letters.
 * @param length length of the text in code points
 * @returns the error, in the form of `validateText`; null if the text is valid
 */
export function validateInvisible(text: string, length: number): string | null {
  if (countInvisible(text) <= MAX_RUN) return null;
  const masked = maskLegitimate(text);
  const run = masked.search(LONG_RUN);
  if (run !== -1) {
    const position = codePointLength(masked.slice(0, run));
    return `contains more than ${MAX_RUN} invisible characters in a row at position ${position}: keep fewer`;
  }
  const count = countInvisible(masked);
  if (count <= 2 * MAX_RUN || count <= length * MAX_SHARE) return null;
  return `contains ${count} invisible characters among ${length}: keep at most 10 % of them`;
}

function countInvisible(text: string): number {
  return text.match(INVISIBLE)?.length ?? 0;
}

/** Replaces each invisible character that is legitimate with a full stop. */
export function maskLegitimate(text: string): string {
  const isListed = (pair: string): boolean => (listed ??= decodeVariations()).has(pair);
  return text
    .replace(EMOJI_SEQUENCE, (emoji) => emoji.replace(INVISIBLE, '.'))
    .replace(JOINER, '.')
    .replace(VARIATION, (pair: string, base: string) => (isListed(pair) ? `${base}.` : pair));
}

/**
 * The variation sequences in StandardizedVariants.txt and emoji-variation-sequences.txt of Unicode 17, and in
 * IVD_Sequences.txt of the Ideographic Variation Database, version 2014-05-16. They are decoded on first use,
 * because most texts have no variation selector.
 */
let listed: ReadonlySet<string> | undefined;

/** Decodes what bin/variation-sequences.js encodes. */
function decodeVariations(): Set<string> {
  const json = brotliDecompressSync(Buffer.from(LISTED_VARIATIONS, 'base64')).toString();
  const bySelector = JSON.parse(json) as [selector: number, differences: number[]][];
  return new Set(
    bySelector.flatMap(([selector, differences]) => {
      let base = 0;
      return differences.map((difference) => String.fromCodePoint((base += difference), selector));
    }),
  );
}

const ASCII = /^\p{ASCII}*$/u;
const WITHOUT_MARKS = /\P{M}+/gu;
const INVISIBLE_OR_FORMAT = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;

/**
 * Prepares a text for pattern matching, never for storage: replaces compatibility characters such as
 * full-width letters (NFKC, Unicode Standard Annex #15) and removes invisible ones. It skips runs of
 * combining marks (`\p{M}`): no link or credential has any, and `normalize` takes quadratic time to reorder a
 * run.
 */
export function normalizeForMatching(text: string): string {
  return ASCII.test(text)
    ? text
    : text.replace(WITHOUT_MARKS, (run) => run.normalize('NFKC')).replace(INVISIBLE_OR_FORMAT, '');
}
