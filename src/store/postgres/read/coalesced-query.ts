/**
 * One question for all who want its answer at the same time. Who asks while it is under way shares the next one, so that
 * no answer is older than the asking.
 */
export class SharedQuestion<Answer> {
  readonly #question: () => Promise<Answer>;
  #underWay: Promise<unknown> = Promise.resolve();
  #next: Promise<Answer> | undefined;

  /** @param question never fails */
  constructor(question: () => Promise<Answer>) {
    this.#question = question;
  }

  ask(): Promise<Answer> {
    return (this.#next ??= this.#underWay.then(() => {
      this.#next = undefined;
      const answer = this.#question();
      this.#underWay = answer;
      return answer;
    }));
  }
}
