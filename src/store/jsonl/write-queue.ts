import type { Low } from 'lowdb';
import { WriteTransaction } from '#store/engine/write-transaction.ts';
import { Overlay } from '#store/engine/overlay.ts';
import { StoreFailure, type Writer } from '#store/store.ts';
import { encodeOperations } from './log/codec.ts';
import type { DayKeys } from './visitor-keys.ts';
import type { Kept, Pending } from './log-adapter.ts';
import { WRITE_BYTES } from './log/rotate.ts';
import type { Mutex } from './mutex.ts';

interface Job {
  readonly work: (writer: Writer) => Promise<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
}

/** A job that was decided on a draft. */
interface Decided {
  readonly job: Job;
  /** What it put into the log; undefined for a refusal, or an answer that needed no write. */
  readonly pending: Pending | undefined;
  /** How many of the pending lines have to stand before anybody may be told. */
  readonly sees: number;
  readonly tell: () => void;
}

interface Desk {
  readonly db: Low<Kept>;
  readonly keys: DayKeys;
  readonly clock: { now: () => number };
  readonly turn: Mutex;
  /** Told after every write how it went: an error, or null. */
  readonly note: (error: unknown) => void;
}

/** Takes all works that wait into one write and one sync. */
export class GroupCommit {
  readonly #desk: Desk;
  #jobs: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  run<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#jobs.push({ work, resolve, reject });
      this.#running ??= this.#rounds();
    });
  }

  async idle(): Promise<void> {
    await this.#running;
  }

  async #rounds(): Promise<void> {
    while (this.#jobs.length > 0) await this.#desk.turn.alone(() => this.#round());
    this.#running = undefined;
  }

  async #round(): Promise<void> {
    const { db, note } = this.#desk;
    try {
      await db.read();
    } catch (error) {
      note(error);
      for (const job of this.#jobs.splice(0)) job.reject(error);
      return;
    }
    const decided = await this.#decide();
    const pending = decided.flatMap((job) => job.pending ?? []);
    db.data.pending = pending;
    try {
      if (pending.length > 0) {
        await db.write();
        note(null);
      }
    } catch (error) {
      note(error);
      for (const outcome of decided) refuse(outcome, error);
      return;
    }
    const standing = pending.filter(({ stands }) => stands).length;
    for (const { sees, tell } of decided) if (sees <= standing) tell();
    this.#jobs.unshift(...decided.filter(({ sees }) => sees > standing).map(({ job }) => job));
  }

  async #decide(): Promise<Decided[]> {
    const accepted = new Overlay();
    const decided: Decided[] = [];
    let lines = 0;
    for (let size = 0; size < WRITE_BYTES; ) {
      const job = this.#jobs.shift();
      if (job === undefined) break;
      const draft = new WriteTransaction(this.#desk.db.data.state, accepted, this.#desk.clock.now());
      let tell: () => void;
      let pending: Pending | undefined;
      try {
        const result = await job.work(draft);
        pending = await this.#pend(draft);
        tell = () => {
          job.resolve(result as never);
        };
      } catch (error) {
        tell = () => {
          job.reject(error);
        };
      }
      if (pending !== undefined) {
        accepted.merge(draft.ownChanges);
        size += pending.body.length;
        lines += 1;
      }
      decided.push({ job, tell, pending, sees: lines });
    }
    return decided;
  }

  async #pend({ ownChanges: { operations } }: WriteTransaction): Promise<Pending | undefined> {
    if (operations.length === 0) return undefined;
    try {
      return { operations, body: await encodeOperations(operations, this.#desk.keys), stands: false };
    } catch (error) {
      this.#desk.note(error);
      throw new StoreFailure('nothing', 'the key of the day could not be made', { cause: error });
    }
  }
}

/** A refusal that saw lines whose fate is unknown has itself kept nothing. */
function refuse({ job, pending, sees, tell }: Decided, error: unknown): void {
  if (sees === 0) tell();
  else if (pending === undefined) job.reject(new StoreFailure('nothing', 'a write before this one failed'));
  else job.reject(error);
}
