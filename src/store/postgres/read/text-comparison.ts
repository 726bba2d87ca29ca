import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordView } from '#store/store.ts';
import { holdsWords } from '#store/words.ts';

/** How many characters of texts one search compares: the normal form of a text may be twenty times as long. */
const MAX_CHARACTERS = 400_000;

/** How many characters are compared without a pause, so that other requests go on. */
const CHARACTERS_AT_ONCE = 16_000;

/** Compares the texts of candidates with the words of one search, within a bound over all its candidates. */
export class TextComparison {
  readonly #words: readonly string[];
  #characters = 0;
  #pauseAt = CHARACTERS_AT_ONCE;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  get isExhausted(): boolean {
    return this.#characters >= MAX_CHARACTERS;
  }

  /**
   * Compares candidates in order, until `limit` of them match or the bound is reached.
   * @returns those that match, and the number of those that were compared
   */
  async compare(
    candidates: readonly RecordView<'post'>[],
    limit: number,
  ): Promise<{ matching: RecordView<'post'>[]; compared: number }> {
    const matching: RecordView<'post'>[] = [];
    let compared = 0;
    for (const candidate of candidates) {
      if (matching.length === limit || this.isExhausted) break;
      if (holdsWords(candidate.record, this.#words)) matching.push(candidate);
      compared += 1;
      if (this.#words.length > 0) await this.#count(candidate.record.message.length);
    }
    return { matching, compared };
  }

  async #count(characters: number): Promise<void> {
    this.#characters += characters;
    if (this.#characters < this.#pauseAt) return;
    this.#pauseAt = this.#characters + CHARACTERS_AT_ONCE;
    await nextTurn();
  }
}
