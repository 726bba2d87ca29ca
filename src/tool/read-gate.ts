import { nextSlice, startSlice } from '#runtime/slice.ts';
import type { Caller } from '#workspace/service/caller.ts';
import { WorkspaceError } from '#workspace/service/errors.ts';

const RETRY_SECONDS = 1;

/**
 * Called between the steps of a read. Resolves in a later turn once reads have used the event loop for a
 * slice. Rejects if every caller of the read has disconnected.
 */
export type Pause = () => Promise<void>;

export interface GateOptions {
  /** How many reads run at the same time. One network runs at most half of them, but always one. */
  readonly atOnce: number;
  /** The maximum number of running and waiting reads of one network. */
  readonly perNetwork?: number;
  readonly onRefused?: () => void;
}

export interface GatedRead<Result> {
  /** The result of the read. Rejects if the read is dropped. */
  readonly result: Promise<Result>;
  /** @throws WorkspaceError as `ReadGate.run` */
  readonly join: (caller: Caller) => void;
}

interface Job {
  readonly callers: Caller[];
  readonly isLong: boolean;
  readonly run: () => Promise<void>;
  readonly drop: () => void;
  state: 'waiting' | 'started';
}

interface Network {
  readonly waiting: Set<Job>;
  running: number;
}

/**
 * Runs every uncached read. A few run at once, and networks take turns, so a network can delay others only by
 * the reads it has running. A read whose callers have all disconnected is dropped, before it starts or
 * between its steps.
 */
export class ReadGate {
  readonly #atOnce: number;
  readonly #perNetwork: number;
  readonly #onRefused: () => void;
  /** Networks in the order of their turns. Invariant: each has a waiting or running read. */
  readonly #networks = new Map<string, Network>();
  /** Whether the slice of this turn of the event loop is over; undefined before its first read. */
  #isSliceOver: (() => boolean) | undefined;
  #longRunning = 0;
  readonly #counts = { running: 0, waiting: 0, refused: 0, dropped: 0 };

  constructor({ atOnce, perNetwork = 100, onRefused = () => undefined }: GateOptions) {
    this.#atOnce = atOnce;
    this.#perNetwork = perNetwork;
    this.#onRefused = onRefused;
  }

  /** The number of reads that run and wait now, and that were refused and dropped since the start. */
  get counts(): Readonly<Record<'running' | 'waiting' | 'refused' | 'dropped', number>> {
    return this.#counts;
  }

  /**
   * @param isLong whether the read visits many records. At most half of the running reads do, but always one
   * @throws WorkspaceError rate_limited if too many reads of the network run or wait
   */
  run<Result>(
    caller: Caller,
    read: (pause: Pause) => Promise<Result>,
    { isLong = false } = {},
  ): GatedRead<Result> {
    const callers: Caller[] = [];
    let join: (caller: Caller) => void = () => undefined;
    const result = new Promise<Result>((resolve, reject) => {
      const job: Job = {
        callers,
        isLong,
        run: () => read(this.#createPause(callers)).then(resolve, reject),
        drop: () => {
          reject(callerLeftError());
        },
        state: 'waiting',
      };
      join = (other) => {
        this.#join(job, other);
      };
      join(caller);
      this.#counts.waiting += 1;
    });
    this.#startNext();
    return { result, join };
  }

  /** A read that several networks share waits in the queue of each; the first to get a turn starts it. */
  #join(job: Job, caller: Caller): void {
    const { clientKey } = caller;
    const network = this.#networks.get(clientKey) ?? { waiting: new Set(), running: 0 };
    if (job.state === 'waiting' && !network.waiting.has(job)) {
      if (!caller.hasWaitPlace) this.#admit(network);
      network.waiting.add(job);
      this.#networks.set(clientKey, network);
    }
    job.callers.push(caller);
  }

  #admit({ waiting, running }: Network): void {
    if (waiting.size + running < this.#perNetwork) return;
    for (const job of waiting) if (haveLeft(job.callers)) this.#drop(job);
    if (waiting.size + running < this.#perNetwork) return;
    this.#counts.refused += 1;
    this.#onRefused();
    throw new WorkspaceError(
      'rate_limited',
      `Your network already has ${this.#perNetwork} running or waiting reads; wait for a response before ` +
        'the next one.',
      { limit: 'readsAtOnce', retryAfterSeconds: RETRY_SECONDS },
    );
  }

  #startNext(): void {
    const share = Math.max(1, this.#atOnce >> 1);
    for (const [clientKey, network] of this.#networks) {
      if (this.#counts.running === this.#atOnce) return;
      if (network.running >= share) continue;
      const job = [...network.waiting].find(({ isLong }) => !isLong || this.#longRunning < share);
      if (job === undefined) continue;
      if (this.#mustYield()) return;
      // Moves the network to the end of the map, where the loop reaches it again.
      this.#networks.delete(clientKey);
      this.#networks.set(clientKey, network);
      if (haveLeft(job.callers)) this.#drop(job);
      else void this.#start(job, clientKey, network);
    }
  }

  async #start(job: Job, clientKey: string, network: Network): Promise<void> {
    this.#leaveQueues(job);
    this.#counts.running += 1;
    this.#longRunning += Number(job.isLong);
    network.running += 1;
    this.#networks.set(clientKey, network);
    await job.run();
    this.#counts.running -= 1;
    this.#longRunning -= Number(job.isLong);
    network.running -= 1;
    if (network.running === 0 && network.waiting.size === 0) this.#networks.delete(clientKey);
    this.#startNext();
  }

  #drop(job: Job): void {
    this.#leaveQueues(job);
    this.#counts.dropped += 1;
    job.drop();
  }

  #leaveQueues(job: Job): void {
    job.state = 'started';
    this.#counts.waiting -= 1;
    for (const { clientKey } of job.callers) {
      const network = this.#networks.get(clientKey);
      if (network?.waiting.delete(job) === true && network.waiting.size + network.running === 0)
        this.#networks.delete(clientKey);
    }
  }

  /** Prevents reads that end at once from starting one another within one turn of the event loop. */
  #mustYield(): boolean {
    if (this.#isSliceOver === undefined) {
      this.#isSliceOver = startSlice();
      setImmediate(() => void this.#beginSlice());
    }
    return this.#isSliceOver();
  }

  async #beginSlice(): Promise<void> {
    if (this.#isSliceOver?.() === true) await nextSlice();
    this.#isSliceOver = undefined;
    this.#startNext();
  }

  #createPause(callers: readonly Caller[]): Pause {
    return async () => {
      if (!this.#mustYield()) return;
      await nextSlice();
      this.#isSliceOver = undefined;
      if (!haveLeft(callers)) return;
      this.#counts.dropped += 1;
      throw callerLeftError();
    };
  }
}

function haveLeft(callers: readonly Caller[]): boolean {
  return callers.every(({ hasLeft }) => hasLeft?.() === true);
}

/** Creates the error for a closed connection. It is not logged, since it has no cause. */
function callerLeftError(): WorkspaceError {
  return new WorkspaceError('internal', 'The caller has closed its connection.');
}
