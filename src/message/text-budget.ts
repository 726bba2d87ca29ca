import { compareWords, type Alternatives, type WordSource } from './words.ts';
import { nextSlice } from '#runtime/slice.ts';

/** More than a page with 101 messages of 8,000 characters. Takes about 30 ms. */
const MAX_CHARACTERS = 1_000_000;

/** Characters that are compared between two pauses. Takes about 2 ms. */
const SLICE_CHARACTERS = 40_000;

/**
 * Bounds the time that one call spends comparing texts with words, by the number of characters that it reads.
 * A call that checks `isSpent` before each text may exceed the bound by the last text.
 */
export class TextBudget {
  #left = MAX_CHARACTERS;
  #leftInSlice = SLICE_CHARACTERS;

  /** Whether the call must end its page now. */
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
