/** Runs jobs one at a time, in the order of the calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  runExclusive<Result>(job: () => Promise<Result>): Promise<Result> {
    const run = this.#last.then(job);
    this.#last = run.catch(() => undefined);
    return run;
  }
}
