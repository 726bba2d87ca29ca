/** Scripts with letters that fonts draw like those of another one. */
const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'Georgian'] as const;

const WORD = /[\p{L}\p{M}]+/gu;

const LETTERS = SCRIPTS.map((script) => ({ script, letter: new RegExp(`\\p{Script=${script}}`, 'gu') }));

/**
 * Finds a letter that looks like one of another script, in a word that mixes two.
 * @returns the first letter of the script that has the fewest; undefined if no word mixes any
 * @example
 *   findForeignLetter('Ald\u0435r'); // { letter: '\u0435', script: 'Cyrillic' }
 */
export function findForeignLetter(name: string) {
  for (const [word] of name.matchAll(WORD)) {
    const found = LETTERS.map(({ script, letter }) => ({ script, letters: word.match(letter) ?? [] }))
      .filter(({ letters }) => letters.length > 0)
      .sort((a, b) => a.letters.length - b.letters.length);
    const [fewest, another] = found;
    const letter = fewest?.letters[0];
    if (fewest !== undefined && another !== undefined && letter !== undefined)
      return { letter, script: fewest.script };
  }
  return undefined;
}
