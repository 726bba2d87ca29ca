interface Kept {
  /** Of the state that the answer speaks of. */
  readonly revision: number;
  /** In characters or bytes. */
  readonly size: number;
}

/** Enough for what is asked for again and again. */
const MOST = 16_000_000;

/** The latest answers, as many as fit, each for as long as nothing changes. */
export class KeptAnswers<Answer extends Kept> {
  readonly #answers = new Map<string, Answer>();
  #size = 0;

  /** Whether there is one, though it may hold no more. */
  has(key: string): boolean {
    return this.#answers.has(key);
  }

  /** @returns undefined where there is none that still holds */
  find(key: string, revision: number | undefined): Answer | undefined {
    const answer = this.#answers.get(key);
    return answer !== undefined && answer.revision === revision ? answer : undefined;
  }

  /**
   * Keeps an answer by the revision that was told before it was made. Should it speak of a later one it does no harm: by
   * then nobody is told the earlier any more.
   */
  keep(key: string, answer: Answer): void {
    this.#forget(key);
    this.#answers.set(key, answer);
    this.#size += answer.size;
    for (const oldest of this.#answers.keys()) {
      if (this.#size <= MOST) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#size -= this.#answers.get(key)?.size ?? 0;
    this.#answers.delete(key);
  }
}
