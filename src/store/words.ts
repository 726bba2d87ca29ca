import { normalizeWords, visitTokens } from './tokens.ts';

/**
 * What a word is, with `tokens.ts`, for the index of both engines and for queries. A stored index depends on these rules: a change of them
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
    visitTokens(normalizeWords(text), (token, unspaced) => {
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
  visitTokens(normalizeWords(query), (token, unspaced) => {
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
