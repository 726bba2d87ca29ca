import type { OutgoingHttpHeaders } from 'node:http';

/** Something that was answered, and the state of the store that it speaks of. */
interface Kept {
  readonly revision: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** In bytes; enough for what is asked for again and again. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The latest answers, as many as fit. */
export class KeptAnswers<Answer extends Kept> {
  readonly #revision: () => number | undefined;
  readonly #answers = new Map<string, Answer>();
  #bytes = 0;

  constructor(revision: () => number | undefined) {
    this.#revision = revision;
  }

  /** @returns undefined where there is none that still holds */
  find(key: string): Answer | undefined {
    const answer = this.#answers.get(key);
    return answer !== undefined && answer.revision === this.#revision() ? answer : undefined;
  }

  /** Keeps an answer, unless something changed while it was made. */
  keep(key: string, answer: Answer): void {
    if (answer.revision !== this.#revision()) return;
    this.#forget(key);
    this.#answers.set(key, answer);
    this.#bytes += answer.body.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#answers.get(key)?.body.length ?? 0;
    this.#answers.delete(key);
  }
}
