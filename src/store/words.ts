/**
 * What a word is, for the index of both engines and for queries. A stored index depends on these rules: a change of them
 * needs the words of every stored post anew.
 */

/** What the words of a post are made of. */
export interface WordSource {
  readonly message: string;
  /** What the author calls itself. */
  readonly name?: string | null | undefined;
  readonly parentId: string | null;
  readonly rootId: string;
}

/** In code points; what follows is not part of the word. */
const MAX_WORD_LENGTH = 64;

/** The accents that `normalizeWords` removes: the block Combining Diacritical Marks. */
const ACCENTS = /[\u0300-\u036F]/g;
const ASCII = /^\p{ASCII}*$/u;

const WORD_CHARACTER = String.raw`[\p{L}\p{N}\p{M}]`;

/** Scripts that are written without spaces, or, as Hangul, whose words are searched by their parts. */
const UNSPACED = `(?:(?=${WORD_CHARACTER})(?:${['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Lao', 'Khmr', 'Mymr']
  .map((script) => `\\p{scx=${script}}`)
  .join('|')}))`;

/** An id of a record, one run of an unspaced script, or one word of any other script. */
const TOKEN = new RegExp(
  `(?:post|project|note|guest)_[a-z0-9]+(?:-+[a-z0-9]+)*|(${UNSPACED}+)|(?:(?!${UNSPACED})${WORD_CHARACTER})+`,
  'gu',
);

/** A run of combining marks alone, such as a variation selector after a symbol, is no word. */
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** The text as words are compared: without width (NFKC), case and accents. */
function normalizeWords(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      // Lower case of a capital sigma depends on its place in the word.
      .replaceAll('\u03C2', '\u03C3')
      .normalize('NFD')
      .replace(ACCENTS, '')
      // Hangul syllables and voiced kana are one character again.
      .normalize('NFC')
  );
}

/** @param unspaced whether the token is a run of an unspaced script */
type VisitToken = (token: string, unspaced: boolean) => void;

function visitTokens(text: string, visit: VisitToken): void {
  const normalized = normalizeWords(text);
  if (ASCII.test(normalized)) {
    visitAsciiTokens(normalized, visit);
    return;
  }
  for (const [token, unspaced] of normalized.matchAll(TOKEN)) {
    if (LETTER_OR_DIGIT.test(token)) visit(token, unspaced !== undefined);
  }
}

const ID_KINDS = new Set(['post', 'project', 'note', 'guest']);
const [UNDERSCORE, HYPHEN] = [0x5f, 0x2d];

const isLetterOrDigit = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);

/** The tokens that `TOKEN` finds in a lower-case ASCII text, in a tenth of the time. */
function visitAsciiTokens(text: string, visit: VisitToken): void {
  const endOfRun = (from: number): number => {
    let end = from;
    while (end < text.length && isLetterOrDigit(text.charCodeAt(end))) end += 1;
    return end;
  };
  for (let start = 0; start < text.length; start++) {
    let end = endOfRun(start);
    if (end === start) continue;
    if (text.charCodeAt(end) === UNDERSCORE && ID_KINDS.has(text.slice(start, end))) {
      let next = endOfRun(end + 1);
      if (next > end + 1) {
        // The hyphens between two runs are part of an id, those after the last one are not.
        for (let from = end + 1; next > from; next = endOfRun(from)) {
          end = next;
          from = end;
          while (text.charCodeAt(from) === HYPHEN) from += 1;
          if (from === end) break;
        }
      }
    }
    visit(text.slice(start, end), false);
    start = end;
  }
}

function cut(token: string): string {
  return token.length <= MAX_WORD_LENGTH ? token : Array.from(token).slice(0, MAX_WORD_LENGTH).join('');
}

/** @returns the pairs of neighbouring characters of a run; a run of one character has none */
function pairsOf(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}

/** Visits the words of a post, some more than once: those of its text, its name, its parentId and its rootId. */
export function visitWords(
  { message, name, parentId, rootId }: WordSource,
  visit: (word: string) => void,
): void {
  for (const text of [message, name, parentId, rootId]) {
    if (typeof text !== 'string') continue;
    visitTokens(text, (token, unspaced) => {
      if (!unspaced) {
        visit(cut(token));
        return;
      }
      let last = '';
      for (const character of token) {
        visit(character);
        if (last !== '') visit(last + character);
        last = character;
      }
    });
  }
}

/** @returns the distinct words of a post */
export function wordsOf(post: WordSource): Set<string> {
  const words = new Set<string>();
  visitWords(post, (word) => words.add(word));
  return words;
}

/** A query as words. */
export interface QueryWords {
  /** A post matches if `wordsOf` of it has them all. */
  readonly words: readonly string[];
  /** The words as a person counts them: a run of an unspaced script is one. */
  readonly count: number;
}

/** @returns no words for a text of punctuation and symbols */
export function queryWordsOf(query: string): QueryWords {
  const words = new Set<string>();
  let count = 0;
  visitTokens(query, (token, unspaced) => {
    count += 1;
    const characters = unspaced ? Array.from(token) : [];
    // The pairs of a run imply its characters.
    const parts = characters.length > 1 ? pairsOf(characters) : [cut(token)];
    for (const part of parts) words.add(part);
  });
  return { words: [...words], count };
}

/** Whether a post has all the words. */
export function holdsWords(post: WordSource, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const held = wordsOf(post);
  return words.every((word) => held.has(word));
}
