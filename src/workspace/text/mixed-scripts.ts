import { lookOf } from '#message/look.ts';

/** Scripts with letters that look like letters of another script. */
const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Georgian'] as const;

const WORD = /[\p{L}\p{M}]+/gu;

const LETTERS = SCRIPTS.map((script) => ({ script, letter: new RegExp(`\\p{Script=${script}}`, 'gu') }));

/**
 * Finds a letter that looks like a letter of another script: in a word with two scripts, or in a word that
 * looks like a word of another name and has none of its scripts.
 * @param other the name that it looks like; empty if unknown
 * @returns the first letter of the script with the fewest letters in that word; undefined without such a word
 * @example
 *   findForeignLetter('Ald\u0435r', 'Alder'); // { letter: '\u0435', script: 'Cyrillic' }
 *   findForeignLetter('\u0421\u043e\u0441\u043e', 'Coco'); // { letter: '\u0421', script: 'Cyrillic' }
 */
export function findForeignLetter(
  name: string,
  other = '',
): { readonly letter: string; readonly script: (typeof SCRIPTS)[number] } | undefined {
  const words = name.match(WORD) ?? [];
  for (const word of words) {
    const [fewest, another] = lettersOf(word).sort((a, b) => a.letters.length - b.letters.length);
    const letter = fewest?.letters[0];
    if (fewest !== undefined && another !== undefined && letter !== undefined)
      return { letter, script: fewest.script };
  }
  const looks = new Set(other.match(WORD)?.map(lookOf));
  const known = lettersOf(other).map(({ script }) => script);
  for (const word of words) {
    const [first] = looks.has(lookOf(word)) ? lettersOf(word) : [];
    const letter = first?.letters[0];
    if (first !== undefined && letter !== undefined && !known.includes(first.script))
      return { letter, script: first.script };
  }
  return undefined;
}

/** @returns the letters of a text by script, without scripts that do not occur */
const lettersOf = (text: string) =>
  LETTERS.map(({ script, letter }) => ({ script, letters: text.match(letter) ?? [] })).filter(
    ({ letters }) => letters.length > 0,
  );
