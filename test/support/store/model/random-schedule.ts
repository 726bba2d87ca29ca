import type { Decide, Fate, ModelCall } from './model-disk.ts';
import type { MachineModel, Random } from './machine-model.ts';

/** How many faults one schedule may hold. */
export interface FaultBudget {
  failedSyncs: number;
  failedCalls: number;
  shortWrites: number;
  kills: number;
  /** Processes that are stopped for seconds. */
  stops: number;
}

interface Waiting {
  readonly process: number;
  readonly call: ModelCall;
  /** A time of the machine. */
  readonly from: number;
  readonly resolve: (fate: Fate) => void;
}

/** A run of a thousand calls is a long one. */
const MAX_CALLS = 30_000;
/** The longest stop: two locks in turn become dead meanwhile. */
const MAX_STOP_MS = 12_000;

/** A random interleaving of the system calls and pauses of several processes, with faults. */
export class RandomSchedule {
  /** All calls so far with their fates, for the report of a failure. */
  readonly trace: string[] = [];
  readonly #machine: MachineModel;
  readonly #random: Random;
  readonly #budget: FaultBudget;
  readonly #running = new Set<number>();
  /** Until when processes are stopped. */
  readonly #stopped = new Map<number, number>();
  #waiting: Waiting[] = [];
  #nextProcess = 0;
  #failure: unknown;

  constructor(machine: MachineModel, random: Random, budget: FaultBudget) {
    this.#machine = machine;
    this.#random = random;
    this.#budget = budget;
  }

  /** Starts a process. @param program receives what decides on its calls @param ended also of a killed one */
  start(program: (decide: Decide) => Promise<void>, ended: () => void): void {
    const process = this.#nextProcess++;
    this.#running.add(process);
    const decide: Decide = (call) =>
      new Promise((resolve) => {
        const from = this.#machine.time + (call.ms ?? 0);
        this.#waiting.push({ process, call, from, resolve });
      });
    program((call) =>
      decide(call).then((fate) => {
        if (fate === 'killed' || fate === 'torn') ended();
        return fate;
      }),
    )
      .catch((error: unknown) => (this.#failure ??= error))
      .finally(() => {
        this.#running.delete(process);
        ended();
      });
  }

  /**
   * Lets calls go on, one at a time, until all processes have ended.
   * @param beforeCall is called before each of them
   * @throws the first error of a process
   */
  async run(beforeCall: (step: number) => void): Promise<void> {
    for (;;) {
      await new Promise(setImmediate);
      if (this.#failure !== undefined) throw this.#failure as Error;
      if (this.#running.size === 0) return;
      if (this.trace.length > MAX_CALLS) throw new Error('the processes do not end');
      beforeCall(this.trace.length + 1);
      this.#passTime();
      const next = this.#choose();
      if (next === undefined) continue;
      const fate = this.#fateOf(next.call);
      const time = Math.floor(this.#machine.time) % 1_000_000;
      this.trace.push(`${time} P${next.process} ${next.call.name} ${next.call.path} ${fate}`);
      if (fate === 'killed' || fate === 'torn') this.#running.delete(next.process);
      next.resolve(fate);
    }
  }

  #passTime(): void {
    this.#machine.time += this.#random();
    if (this.#budget.stops === 0 || this.#random() > 0.005) return;
    this.#budget.stops -= 1;
    const process = Math.floor(this.#random() * this.#nextProcess);
    this.#stopped.set(process, this.#machine.time + this.#random() * MAX_STOP_MS);
    this.trace.push(`P${process} is stopped`);
  }

  /** @returns one of the calls that can go on, and takes it out; if there is none, time passes until there is */
  #choose(): Waiting | undefined {
    this.#waiting = this.#waiting.filter(({ process }) => this.#running.has(process));
    const timeOf = ({ from, process }: Waiting): number => Math.max(from, this.#stopped.get(process) ?? 0);
    const first = Math.min(...this.#waiting.map(timeOf));
    if (first === Infinity) return undefined;
    this.#machine.time = Math.max(this.#machine.time, first);
    const ready = this.#waiting.filter((waiting) => timeOf(waiting) <= this.#machine.time);
    const next = ready[Math.floor(this.#random() * ready.length)];
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    return next;
  }

  #fateOf({ name }: ModelCall): Fate {
    const isWrite = name === 'append' || name === 'overwrite';
    if (this.#falls('kills', 0.004)) return isWrite && this.#random() < 0.7 ? 'torn' : 'killed';
    if (name === 'sync' && this.#falls('failedSyncs', 0.1)) return 'fails';
    if (name === 'append' && this.#falls('shortWrites', 0.05)) return 'short';
    return name !== 'pause' && name !== 'sync' && this.#falls('failedCalls', 0.005) ? 'fails' : 'made';
  }

  /** Whether a fault falls here; uses it up. */
  #falls(fault: keyof FaultBudget, probability: number): boolean {
    if (this.#budget[fault] === 0 || this.#random() >= probability) return false;
    this.#budget[fault] -= 1;
    return true;
  }
}
