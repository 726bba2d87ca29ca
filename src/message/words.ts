import { endsOfBeginnings, normalizeWords, visitTokens } from './tokens.ts';
import { nextSlice } from '#runtime/slice.ts';

// Defines words, with `tokens.ts`. If these rules change, stored indexes must be rebuilt.

export interface WordSource {
  readonly message: string;
  readonly name?: string | null | undefined;
  readonly parentId: string | null;
  readonly rootId: string;
}

/** In code points. The rest of a longer word is ignored. */
const MAX_WORD_LENGTH = 64;

function cut(token: string): string {
  return token.length <= MAX_WORD_LENGTH ? token : Array.from(token).slice(0, MAX_WORD_LENGTH).join('');
}

/** @returns the pairs of adjacent characters of a run */
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

/** @returns the distinct words of a post: of its text, name, parentId and rootId */
export function wordsOf({ message, name, parentId, rootId }: WordSource): Set<string> {
  const words = new Set<string>();
  for (const text of [message, name, parentId, rootId])
    if (typeof text === 'string')
      visitTextWords(normalizeWords(text), (word) => {
        words.add(word);
        return true;
      });
  return words;
}

/** The maximum number of index entries of one post. */
export const MAX_ENTRIES = 2000;

/**
 * @returns the index entries of a post: the beginnings of each word that begins with four or more letters,
 *   and every other word as a whole. No whole word equals a beginning
 */
export function entriesOf(post: WordSource): Set<string> {
  const entries = new Set<string>();
  for (const word of wordsOf(post)) {
    const ends = endsOfBeginnings(word);
    if (ends.length === 0) entries.add(word);
    for (const end of ends) entries.add(word.slice(0, end));
  }
  return entries;
}

/** @returns the entry that `entriesOf` has for every word that matches a word of a query */
export function entryOf(word: string): string {
  return word.slice(0, endsOfBeginnings(word).at(-1) ?? word.length);
}

/** Whether a word of a query also matches longer words that begin with it. */
const isBeginning = (word: string): boolean => endsOfBeginnings(word).length > 0;

/** Whether a word of a post matches a word of a query. */
export const matchesWord = (word: string, wanted: string): boolean =>
  word === wanted || (word.startsWith(wanted) && isBeginning(wanted) && isBeginning(word));

export interface QueryWords {
  /** A post matches if `matchesWord` finds a word in it for each of these. */
  readonly words: readonly string[];
  /** The number of words as a person counts them: a run of an unspaced script is one. */
  readonly count: number;
}

/** @returns no words for a text of punctuation and symbols */
export function queryWordsOf(query: string): QueryWords {
  const alternatives = queryAlternatives(query);
  return { words: [...new Set(alternatives.flat())], count: alternatives.length };
}

/** @returns for each word of a query, as a person counts it, the words that a matching post must have */
export function queryAlternatives(query: string): string[][] {
  const alternatives: string[][] = [];
  visitTokens(normalizeWords(query), (token, unspaced) => {
    const characters = unspaced ? Array.from(token) : [];
    // The pairs of a run imply its characters.
    alternatives.push(characters.length > 1 ? pairsOf(characters) : [cut(token)]);
    return true;
  });
  return alternatives;
}

/** A post matches if it has all words of one of the lists. Without lists, every post matches. */
export type Alternatives = readonly (readonly string[])[];

/** How many words are searched for as substrings first, because dividing a text into words takes longer. */
const MAX_PROBES = 8;

/** @returns whether a post has all words and one of the alternatives, and how many characters were read */
export function compareWords(
  { message, name, parentId, rootId }: WordSource,
  words: readonly string[],
  any: Alternatives = [],
) {
  const missing = new Set([...words, ...any.flat()]);
  const beginnings = [...missing].filter(isBeginning);
  const isThere = (word: string): boolean => !missing.has(word);
  const holdsAll = (): boolean =>
    words.every(isThere) && (any.length === 0 || any.some((list) => list.every(isThere)));
  let characters = 0;
  const visit = (word: string): boolean => {
    let isNew = missing.delete(word);
    for (const beginning of beginnings)
      if (missing.has(beginning) && matchesWord(word, beginning)) isNew = missing.delete(beginning);
    return !isNew || !holdsAll();
  };
  // The message comes last, because it is the longest. It must have the words that the other fields lack.
  for (const text of [rootId, parentId, name]) {
    if (holdsAll()) break;
    if (typeof text !== 'string') continue;
    const normalized = normalizeWords(text);
    characters += normalized.length;
    // Skips tokenizing if a word is not even a substring.
    if ([...missing].some((word) => normalized.includes(word))) visitTextWords(normalized, visit);
  }
  if (holdsAll()) return { holdsAll: true, characters };
  const normalized = normalizeWords(message);
  const mayHold = (list: readonly string[]): boolean =>
    list
      .filter((word) => missing.has(word))
      .slice(0, MAX_PROBES)
      .every((word) => normalized.includes(word));
  if (mayHold(words) && (any.length === 0 || any.some(mayHold))) visitTextWords(normalized, visit);
  return { holdsAll: holdsAll(), characters: characters + normalized.length };
}

/** Enough for a page of 101 messages with 8,000 characters. Takes about 30 ms. */
const MAX_CHARACTERS = 1_000_000;
/** How many characters are compared between two pauses. Takes about 2 ms. */
const SLICE_CHARACTERS = 40_000;
/** How many texts one page of a search reads because of their index entries. */
export const MAX_COMPARED = 500;

/** Limits how many characters one call compares with words. The last text may exceed the limit. */
export class TextBudget {
  #left = MAX_CHARACTERS;
  #leftInSlice = SLICE_CHARACTERS;
  #textsLeft: number;

  constructor(maxTexts = Infinity) {
    this.#textsLeft = maxTexts;
  }

  get isSpent(): boolean {
    return this.#left <= 0 || this.#textsLeft <= 0;
  }

  /** Whether the call must await `nextSlice` before it compares another text. */
  get isSliceOver(): boolean {
    return this.#leftInSlice <= 0;
  }

  holdsWords(post: WordSource, words: readonly string[], any?: Alternatives): boolean {
    const { holdsAll, characters } = compareWords(post, words, any);
    this.#left -= characters;
    this.#leftInSlice -= characters;
    if (characters > 0) this.#textsLeft -= 1;
    return holdsAll;
  }

  async nextSlice(): Promise<void> {
    await nextSlice();
    this.#leftInSlice = SLICE_CHARACTERS;
  }
}
