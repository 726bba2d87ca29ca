import { basename } from 'node:path';
import { LOCK, LOG, type Decide, type Fate, type ModelCall } from './model-disk.ts';
import type { MachineModel, Random } from './machine-model.ts';

/** How many faults one schedule may hold. */
export interface FaultBudget {
  failedSyncs: number;
  failedCalls: number;
  /** Calls that place the mark of a failed sync, and fail. */
  failedMarks: number;
  shortWrites: number;
  kills: number;
  /** Processes that are stopped for seconds before a call on the log or the lock. */
  stops: number;
  /** Processes that are stopped for longer than a lock lives, before a call on the log. */
  holds: number;
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
/** Turns of the event loop without a call, after which no process makes one by itself. */
const IDLE_TURNS = 5;
/** The longest stop: two locks in turn become dead meanwhile. */
const MAX_STOP_MS = 12_000;
/** The shortest hold: a lock looks dead after 4.5 s, and what replaces it has some time left. */
const MIN_HOLD_MS = 6000;

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
        if (call.name === 'stop') this.#stopped.set(process, from);
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
   * @param onIdle is called when no process makes a call
   * @param onHold is called when a process is held before a call on the log
   * @throws the first error of a process
   */
  async run(beforeCall: (step: number) => void, onIdle: () => void, onHold: () => void): Promise<void> {
    for (let idle = 0; ; ) {
      await new Promise(setImmediate);
      if (this.#failure !== undefined) throw this.#failure as Error;
      if (this.#running.size === 0) return;
      if (this.trace.length > MAX_CALLS) throw new Error('the processes do not end');
      beforeCall(this.trace.length + 1);
      this.#machine.time += this.#random();
      const next = this.#choose();
      idle = next === undefined ? idle + 1 : 0;
      // A failed batch yields to its callers for a turn of the event loop.
      if (idle === IDLE_TURNS) onIdle();
      if (next === undefined || this.#stops(next, onHold)) continue;
      const fate = this.#fateOf(next.call);
      const time = Math.floor(this.#machine.time) % 1_000_000;
      this.trace.push(`${time} P${next.process} ${next.call.name} ${next.call.path} ${fate}`);
      if (fate === 'killed' || fate === 'torn') this.#running.delete(next.process);
      next.resolve(fate);
    }
  }

  /** Stops the process before its call, if that falls here. */
  #stops(next: Waiting, onHold: () => void): boolean {
    const { process, call } = next;
    const isHeld = call.path === LOG && this.#falls('holds', 0.05);
    const isOfWrite = call.path === LOG || call.path === LOCK;
    if (!isHeld && !(isOfWrite && this.#falls('stops', 0.01))) return false;
    const least = isHeld ? MIN_HOLD_MS : 0;
    this.#stopped.set(process, this.#machine.time + least + this.#random() * (MAX_STOP_MS - least));
    this.#waiting.push(next);
    this.trace.push(`P${process} is stopped before ${call.name} ${call.path}`);
    if (isHeld) onHold();
    return true;
  }

  /**
   * Removes and returns one of the calls that can go on. If there is none, the time advances until there is
   * one.
   */
  #choose(): Waiting | undefined {
    this.#waiting = this.#waiting.filter(({ process }) => this.#running.has(process));
    const timeOf = ({ from, process }: Waiting): number => Math.max(from, this.#stopped.get(process) ?? 0);
    const first = Math.min(...this.#waiting.map(timeOf));
    if (first === Infinity) return undefined;
    this.#machine.time = Math.max(this.#machine.time, first);
    const ready = this.#waiting.filter((waiting) => timeOf(waiting) <= this.#machine.time);
    // A process that was stopped goes on where it was: nothing else of it comes before.
    const continued = ready.filter(({ call }) => call.name === 'stop');
    const others = ready.filter(({ process }) => !continued.some((stop) => stop.process === process));
    const candidates = [...continued, ...others];
    const next = candidates[Math.floor(this.#random() * candidates.length)];
    this.#waiting = this.#waiting.filter((waiting) => waiting !== next);
    return next;
  }

  #fateOf({ name, path }: ModelCall): Fate {
    const isWrite = name === 'append' || name === 'overwrite';
    if (this.#falls('kills', 0.004)) return isWrite && this.#random() < 0.7 ? 'torn' : 'killed';
    if (name === 'stop' || name === 'pause') return 'made';
    const isMark = /^(?:\.tmp-)?failed/.test(basename(path)) && name !== 'status';
    if (isMark && this.#falls('failedMarks', 0.5)) return 'fails';
    if (name === 'sync') return this.#falls('failedSyncs', 0.1) ? 'fails' : 'made';
    if (name === 'append' && this.#falls('shortWrites', 0.05)) return 'short';
    return this.#falls('failedCalls', 0.005) ? 'fails' : 'made';
  }

  /** Whether a fault falls here; uses it up. */
  #falls(fault: keyof FaultBudget, probability: number): boolean {
    if (this.#budget[fault] === 0 || this.#random() >= probability) return false;
    this.#budget[fault] -= 1;
    return true;
  }
}
