import type { RecordView } from '#store/port/records.ts';
import { type Alternatives, TextBudget } from '#message/words.ts';

/** Compares the texts of candidates with the words of one search, within a bound over all its candidates. */
export class TextComparison {
  readonly #words: readonly string[];
  readonly #any: Alternatives;
  readonly #texts: TextBudget;

  constructor(words: readonly string[], any: Alternatives = [], maxTexts?: number) {
    this.#words = words;
    this.#any = any;
    this.#texts = new TextBudget(maxTexts);
  }

  get isExhausted(): boolean {
    return this.#texts.isSpent;
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
      if (this.#texts.isSliceOver) await this.#texts.nextSlice();
      if (this.#texts.holdsWords(candidate.record, this.#words, this.#any)) matching.push(candidate);
      compared += 1;
    }
    return { matching, compared };
  }
}
