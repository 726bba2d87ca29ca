import assert from 'node:assert/strict';

/** The next call of a process, held up until it is its turn. */
interface PendingCall {
  readonly process: number;
  readonly release: () => void;
}

/** One order in which the system calls of several processes are made, and what else could have come at every step. */
export class Schedule {
  readonly #given: readonly number[];
  readonly #taken: { choice: number; of: number }[] = [];
  readonly #waiting: PendingCall[] = [];
  #changed = (): void => undefined;

  /** @param given which of the waiting processes is next, step by step; the first, once it is used up */
  constructor(given: readonly number[]) {
    this.#given = given;
  }

  /** To be asked by the disk of a process before every call. */
  gateFor(process: number): () => Promise<void> {
    return () =>
      new Promise((release) => {
        this.#waiting.push({ process, release });
        this.#changed();
      });
  }

  /**
   * Runs the programs of all processes, one call at a time.
   * @param switches how often a process may be left although it could go on
   */
  async run(programs: readonly Promise<unknown>[], switches: number): Promise<void> {
    let running = programs.length;
    for (const program of programs)
      void program.finally(() => {
        running -= 1;
        this.#changed();
      });
    for (let current = -1; ; ) {
      while (this.#waiting.length < running) await new Promise<void>((resolve) => (this.#changed = resolve));
      if (running === 0) return;
      this.#waiting.sort(
        (a, b) => Number(b.process === current) - Number(a.process === current) || a.process - b.process,
      );
      const mayGoOn = this.#waiting[0]?.process === current;
      const nextChoices = this.#choose(mayGoOn && switches === 0 ? 1 : this.#waiting.length);
      if (mayGoOn && nextChoices > 0) switches -= 1;
      const [{ process, release }] = this.#waiting.splice(nextChoices, 1) as [PendingCall];
      current = process;
      release();
    }
  }

  /** @returns the next order, depth first, or undefined after the last. */
  next(): number[] | undefined {
    const last = this.#taken.findLastIndex(({ choice, of }) => choice + 1 < of);
    if (last < 0) return undefined;
    return this.#taken.slice(0, last + 1).map(({ choice }, step) => (step === last ? choice + 1 : choice));
  }

  #choose(of: number): number {
    const choice = this.#given[this.#taken.length] ?? 0;
    assert.ok(choice < of, 'the scenario does not repeat itself');
    this.#taken.push({ choice, of });
    return choice;
  }
}

/** Plays a scenario in every order there is. @returns how many there were */
export async function runEverySchedule(scenario: (turns: Schedule) => Promise<void>): Promise<number> {
  let orders = 0;
  for (let given: number[] | undefined = []; given !== undefined; orders++) {
    const turns: Schedule = new Schedule(given);
    try {
      await scenario(turns);
    } catch (error) {
      throw new Error(`in the order ${given.join(' ')}`, { cause: error });
    }
    given = turns.next();
  }
  return orders;
}
