import emojiRegex from 'emoji-regex';
import { isListedVariation } from './variations.ts';

/** At most so many invisible characters stand in a row. */
const MAX_RUN = 8;

/** So many are fine in a text of any length; of more the share counts. */
const MAX_FREE = 16;
const MAX_SHARE = 0.1;

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const RUN = new RegExp(`\\p{Default_Ignorable_Code_Point}{${MAX_RUN + 1}}`, 'u');

/** The sequences of emoji-test.txt. */
const EMOJI = emojiRegex();

/** Each takes the place of one letter or mark that can be seen. */
const LETTER = '(?:(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}])';
const UNSPACED_LETTER = `(?:(?=[\\p{scx=Khmer}\\p{scx=Lao}\\p{scx=Myanmar}\\p{scx=Thai}])${LETTER})`;

/**
 * ZWNJ and ZWJ between two letters, which Persian and Hindi need; the first may have a variation selector. ZERO WIDTH
 * SPACE is between words in scripts that are written without spaces, often at every fifth letter.
 */
const JOINER = new RegExp(
  `(?<=${LETTER}\\p{Variation_Selector}?)[\\u200C\\u200D](?=${LETTER})|(?<=${UNSPACED_LETTER})\\u200B(?=${UNSPACED_LETTER})`,
  'gu',
);

const VARIATION = /(.)(\p{Variation_Selector})/gsu;

/**
 * Why a text is refused for what a reader cannot see in it, which models read and people do not. Default-ignorable
 * characters count unless they belong to an emoji, to a variation that Unicode lists, or stand between two letters that
 * need them.
 * @param length of the text in code points
 * @returns null when the text is fine
 */
export function validateInvisible(
  text: string,
  length: number,
  positionOf: (index: number) => number,
): string | null {
  if (countIn(text) <= MAX_RUN) return null;
  const counted = withoutLegitimate(text);
  const run = counted.search(RUN);
  if (run !== -1) {
    return `holds more than ${MAX_RUN} invisible characters in a row at position ${positionOf(run)}: keep fewer`;
  }
  const count = countIn(counted);
  if (count <= MAX_FREE || count <= length * MAX_SHARE) return null;
  return `holds ${count} invisible characters among ${length}: keep at most 10 % of them`;
}

function countIn(text: string): number {
  return text.match(INVISIBLE)?.length ?? 0;
}

/** The text with a full stop for each UTF-16 unit of what does not count, so that indexes stay the same. */
function withoutLegitimate(text: string): string {
  return text
    .replace(EMOJI, (emoji) => (countIn(emoji) > 0 ? '.'.repeat(emoji.length) : emoji))
    .replace(JOINER, '.')
    .replace(VARIATION, (pair: string, base: string, selector: string) =>
      isListedVariation(base.codePointAt(0) ?? 0, selector.codePointAt(0) ?? 0)
        ? base + '.'.repeat(selector.length)
        : pair,
    );
}
