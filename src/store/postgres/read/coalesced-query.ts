/**
 * One query for all callers of the same moment. Calls during a running query share the next one, so that no result is
 * older than its call.
 */
export class CoalescedQuery<Result> {
  readonly #query: () => Promise<Result>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<Result> | undefined;

  /** @param query never rejects */
  constructor(query: () => Promise<Result>) {
    this.#query = query;
  }

  run(): Promise<Result> {
    return (this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      const result = this.#query();
      this.#running = result;
      return result;
    }));
  }
}
