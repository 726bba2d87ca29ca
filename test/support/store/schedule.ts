import assert from 'node:assert/strict';

/** The next system call of a process, stopped until the schedule chooses it. */
interface PendingCall {
  readonly process: number;
  readonly release: () => void;
}

/** One interleaving of the system calls of several processes, with the alternatives at every step. */
export class Schedule {
  readonly #given: readonly number[];
  /** The choice of every step so far, and the number of alternatives. */
  readonly #taken: { choice: number; of: number }[] = [];
  readonly #waiting: PendingCall[] = [];
  #changed = (): void => undefined;

  /** @param given index of the waiting process to choose, for each step; 0 for all further steps */
  constructor(given: readonly number[]) {
    this.#given = given;
  }

  /** @returns the `beforeCall` of the disk of a process */
  gateFor(process: number): () => Promise<void> {
    return () =>
      new Promise((release) => {
        this.#waiting.push({ process, release });
        this.#changed();
      });
  }

  /**
   * Runs the programs of all processes, one system call at a time.
   * @param switches how many times a process may be preempted that could continue
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
      const canContinue = this.#waiting[0]?.process === current;
      const next = this.#choose(canContinue && switches === 0 ? 1 : this.#waiting.length);
      if (canContinue && next > 0) switches -= 1;
      const [{ process, release }] = this.#waiting.splice(next, 1) as [PendingCall];
      current = process;
      release();
    }
  }

  /** @returns the choices of the next schedule, depth first; undefined after the last */
  nextChoices(): number[] | undefined {
    const last = this.#taken.findLastIndex(({ choice, of }) => choice + 1 < of);
    if (last < 0) return undefined;
    return this.#taken.slice(0, last + 1).map(({ choice }, step) => (step === last ? choice + 1 : choice));
  }

  #choose(of: number): number {
    const choice = this.#given[this.#taken.length] ?? 0;
    assert.ok(choice < of, 'the scenario is not deterministic');
    this.#taken.push({ choice, of });
    return choice;
  }
}

/** Runs a scenario once for every possible schedule. @returns the number of schedules */
export async function runEverySchedule(scenario: (schedule: Schedule) => Promise<void>): Promise<number> {
  let count = 0;
  for (let given: number[] | undefined = []; given !== undefined; count++) {
    const schedule: Schedule = new Schedule(given);
    try {
      await scenario(schedule);
    } catch (error) {
      throw new Error(`in the schedule ${given.join(' ')}`, { cause: error });
    }
    given = schedule.nextChoices();
  }
  return count;
}
