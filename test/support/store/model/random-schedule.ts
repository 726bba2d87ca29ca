import { isSnapshotPath, type Decide, type Fate, type ModelCall } from './model-disk.ts';
import type { Random } from './machine-model.ts';

/** How many faults one schedule may hold. */
export interface FaultBudget {
  failedSyncs: number;
  shortWrites: number;
  kills: number;
  /** Calls on snapshots that fail. */
  failedSnapshots: number;
}

interface PendingCall {
  readonly process: number;
  readonly call: ModelCall;
  readonly resolve: (fate: Fate) => void;
}

/** A random interleaving of the system calls of several processes, with faults. */
export class RandomSchedule {
  /** All calls so far with their fates, for the report of a failure. */
  readonly trace: string[] = [];
  readonly #random: Random;
  readonly #budget: FaultBudget;
  readonly #running = new Set<number>();
  #waiting: PendingCall[] = [];
  #nextProcess = 0;
  #failure: unknown;

  constructor(random: Random, budget: FaultBudget) {
    this.#random = random;
    this.#budget = budget;
  }

  /** Starts a process. @param program receives what decides on its calls */
  start(program: (decide: Decide) => Promise<void>): void {
    const process = this.#nextProcess++;
    this.#running.add(process);
    const decide: Decide = (call) => new Promise((resolve) => this.#waiting.push({ process, call, resolve }));
    program(decide)
      .catch((error: unknown) => (this.#failure ??= error))
      .finally(() => this.#running.delete(process));
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
      beforeCall(this.trace.length + 1);
      const index = Math.floor(this.#random() * this.#waiting.length);
      const [next] = this.#waiting.splice(index, 1);
      if (next === undefined) continue;
      const fate = this.#fateOf(next.call);
      this.trace.push(`P${next.process} ${next.call.name} ${next.call.path} ${fate}`);
      if (fate === 'killed' || fate === 'torn') this.#running.delete(next.process);
      next.resolve(fate);
    }
  }

  #fateOf({ name, path }: ModelCall): Fate {
    if (this.#budget.kills > 0 && this.#random() < 0.01) {
      this.#budget.kills -= 1;
      const isWrite = name === 'append' || name === 'overwrite';
      return isWrite && this.#random() < 0.7 ? 'torn' : 'killed';
    }
    if (name === 'sync' && this.#budget.failedSyncs > 0 && this.#random() < 0.1) {
      this.#budget.failedSyncs -= 1;
      return 'fails';
    }
    if (name === 'append' && this.#budget.shortWrites > 0 && this.#random() < 0.05) {
      this.#budget.shortWrites -= 1;
      return 'short';
    }
    if (this.#budget.failedSnapshots > 0 && isSnapshotPath(path) && this.#random() < 0.03) {
      this.#budget.failedSnapshots -= 1;
      return 'fails';
    }
    return 'made';
  }
}
