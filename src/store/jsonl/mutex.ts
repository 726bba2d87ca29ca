/** Lets jobs run one after the other, in the order in which they were asked for. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  alone<Result>(job: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(job);
    this.#last = run.catch(() => undefined);
    return run;
  }
}
