/** Accents, variation selectors, and enclosing marks, such as the frame of a keycap. */
const IGNORED_MARKS = /[\u0300-\u036F\p{Variation_Selector}\p{Me}]/gu;
const ASCII = /^\p{ASCII}*$/u;

/** Scripts without spaces between words, and Hangul, whose words are searched by their parts. */
const UNSPACED_SCRIPTS = new RegExp(
  ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr']
    .map((script) => `\\p{scx=${script}}`)
    .join('|'),
  'u',
);
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const IS_DIGIT = /\p{N}/u;

/** Normalizes a text for the comparison of words: NFKC, without case and accents, and `ß` as `ss`. */
export function normalizeWords(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      // Lower case of a capital sigma depends on its position in the word.
      .replaceAll('\u03C2', '\u03C3')
      .replaceAll('ß', 'ss')
      .normalize('NFD')
      .replace(IGNORED_MARKS, '')
      // Hangul syllables and voiced kana are one character again.
      .normalize('NFC')
  );
}

/** Bits that say how a character forms words. A character that is never in a word has only `KNOWN`. */
const [KNOWN, IN_WORD, UNSPACED, IN_UNSPACED_WORD, MAKES_WORD, DIGIT] = [1, 2, 4, 6, 8, 16] as const;

function traitsOf(character: string): number {
  if (!WORD_CHARACTER.test(character)) return KNOWN;
  const unspaced = UNSPACED_SCRIPTS.test(character) ? UNSPACED : 0;
  const digit = IS_DIGIT.test(character) ? DIGIT : 0;
  return KNOWN | IN_WORD | unspaced | digit | (LETTER_OR_DIGIT.test(character) ? MAKES_WORD : 0);
}

/** Caches the traits by UTF-16 code unit; 0 means not computed yet. */
const CACHED_TRAITS = new Uint8Array(0x10000);

function traitsAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if ((unit & 0xf800) === 0xd800) return traitsOf(String.fromCodePoint(text.codePointAt(index) ?? 0));
  return (CACHED_TRAITS[unit] ||= traitsOf(String.fromCharCode(unit)));
}

const endOfCharacter = (text: string, index: number): number =>
  index + ((text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1);

/** The lengths, in characters, of the beginnings with which a search finds longer words. */
const BEGINNINGS = [4, 6, 8];

/**
 * Finds the beginnings with which a search finds a token. They consist of letters and their marks. An id has
 * none, and a run of an unspaced script is found by its parts.
 * @returns their ends, in UTF-16 code units, ascending
 */
export function endsOfBeginnings(token: string): number[] {
  const ends: number[] = [];
  let characters = 0;
  for (let index = 0; index < token.length && ends.length < BEGINNINGS.length; ) {
    if ((traitsAt(token, index) & (IN_UNSPACED_WORD | DIGIT)) !== IN_WORD) break;
    index = endOfCharacter(token, index);
    characters += 1;
    if (BEGINNINGS[ends.length] === characters) ends.push(index);
  }
  return ends.length > 0 && token.includes('_') ? [] : ends;
}

const ID_KINDS = new Set(['post', 'project', 'note', 'guest']);
const [UNDERSCORE, HYPHEN] = [0x5f, 0x2d];

function endOfRun(text: string, from: number): number {
  let end = from;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (!((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39))) break;
  }
  return end;
}

/** @returns the end of the id whose kind precedes the underscore; without an id, the underscore */
function endOfId(text: string, underscore: number): number {
  let end = endOfRun(text, underscore + 1);
  if (end === underscore + 1) return underscore;
  for (;;) {
    // Hyphens between two runs belong to an id; those after the last one do not.
    let from = end;
    while (text.charCodeAt(from) === HYPHEN) from += 1;
    const next = endOfRun(text, from);
    if (from === end || next === from) return end;
    end = next;
  }
}

/**
 * Visits the record ids, runs of unspaced scripts and words of a normalized text, but not single marks.
 * @param visit gets whether the token is a run of an unspaced script, and returns false to end the visit
 */
export function visitTokens(text: string, visit: (token: string, unspaced: boolean) => boolean): void {
  let end = 0;
  while (end < text.length) {
    const start = end;
    let traits = traitsAt(text, start);
    end = endOfCharacter(text, start);
    if ((traits & IN_WORD) === 0) continue;
    const kind = traits & IN_UNSPACED_WORD;
    while (end < text.length) {
      const next = traitsAt(text, end);
      if ((next & IN_UNSPACED_WORD) !== kind) break;
      traits |= next;
      end = endOfCharacter(text, end);
    }
    if (text.charCodeAt(end) === UNDERSCORE && ID_KINDS.has(text.slice(start, end))) end = endOfId(text, end);
    if ((traits & MAKES_WORD) === 0) continue;
    if (!visit(text.slice(start, end), (kind & UNSPACED) !== 0)) return;
  }
}
