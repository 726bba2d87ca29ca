import { compareWords, type Alternatives, type WordSource } from './words.ts';
import { nextSlice } from '#runtime/slice.ts';

/** More than the longest page of plain texts has: 101 messages of 8,000 characters. Some 30 ms. */
const MAX_CHARACTERS = 1_000_000;

/** How many characters are compared without a pause: some 2 ms. */
const SLICE_CHARACTERS = 40_000;

/**
 * Bounds the time in which one call compares texts with words, by the characters that it reads. Each text
 * counts in full, so a call that looks at `isSpent` before each text may exceed the bound by the last one.
 */
export class TextBudget {
  #left = MAX_CHARACTERS;
  #leftInSlice = SLICE_CHARACTERS;

  /** Whether the call ends its page here. */
  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Whether the call must await `nextSlice` before it compares another text. */
  get isSliceOver(): boolean {
    return this.#leftInSlice <= 0;
  }

  holdsWords(post: WordSource, words: readonly string[], any?: Alternatives): boolean {
    const { holdsAll, characters } = compareWords(post, words, any);
    this.#left -= characters;
    this.#leftInSlice -= characters;
    return holdsAll;
  }

  async nextSlice(): Promise<void> {
    await nextSlice();
    this.#leftInSlice = SLICE_CHARACTERS;
  }
}
