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

/** @param text normalized @param visit returns false to end the visit */
function visitTextWords(text: string, visit: (word: string) => boolean): void {
  visitTokens(text, (token, unspaced) => {
    if (!unspaced) return visit(cut(token));
    let last = '';
    for (const character of token) {
      if (!visit(character)) return false;
      if (last !== '' && !visit(last + character)) return false;
      last = character;
    }
    return true;
  });
}

/** Visits the words of a post, some more than once: those of its text, its name, its parentId and its rootId. */
export function visitWords(
  { message, name, parentId, rootId }: WordSource,
  visit: (word: string) => void,
): void {
  for (const text of [message, name, parentId, rootId])
    if (typeof text === 'string')
      visitTextWords(normalizeWords(text), (word) => {
        visit(word);
        return true;
      });
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
    return true;
  });
  return { words: [...words], count };
}

/** Whether a post has all the words. */
export function holdsWords(post: WordSource, words: readonly string[]): boolean {
  return compareWords(post, words).holdsAll;
}

/** How many words a text is searched for before it is divided into words, which takes longer. */
const MAX_PROBES = 8;

export interface WordComparison {
  readonly holdsAll: boolean;
  /** How many normalized characters were read. */
  readonly characters: number;
}

/** As `holdsWords`, with its cost. */
export function compareWords(
  { message, name, parentId, rootId }: WordSource,
  words: readonly string[],
): WordComparison {
  const missing = new Set(words);
  let characters = 0;
  const visit = (word: string): boolean => !missing.delete(word) || missing.size > 0;
  // The message comes last since it is the longest. It must have what the others have not.
  for (const text of [rootId, parentId, name]) {
    if (missing.size === 0) break;
    if (typeof text !== 'string') continue;
    const normalized = normalizeWords(text);
    characters += normalized.length;
    // A word that is no part of a text is no word of it.
    if ([...missing].some((word) => normalized.includes(word))) visitTextWords(normalized, visit);
  }
  if (missing.size === 0) return { holdsAll: true, characters };
  const normalized = normalizeWords(message);
  const probes = [...missing].slice(0, MAX_PROBES);
  if (probes.every((word) => normalized.includes(word))) visitTextWords(normalized, visit);
  return { holdsAll: missing.size === 0, characters: characters + normalized.length };
}
