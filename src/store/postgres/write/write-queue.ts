import { setTimeout as sleep } from 'node:timers/promises';
import { StoreFailure, type Writer } from '#store/store.ts';
import { Batch, type Decided } from './batch.ts';
import { openLine, type Line, type Place } from '#store/postgres/connection/connect.ts';
import { CONNECT_MS, PATIENCE_MS } from '#store/postgres/connection/timeouts.ts';
import { markOf, standsIn, type Mark } from './commit-marker.ts';
import type { Notice } from '#store/postgres/notify/payload.ts';
import { Transaction } from '#store/postgres/connection/transaction.ts';
import { isPassing, toFailure, troubleOf } from '#store/postgres/connection/errors.ts';

/** So many works share one transaction at most; more would hold up other instances. */
const BATCH = 100;

/** Between two tries on a database that does not answer. */
const PAUSE_MS = 100;

const FAREWELL_MS = 1000;

interface Job {
  readonly work: (writer: Writer) => Promise<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (reason: unknown) => void;
  /** When its caller hears of it at the latest, on the scale of performance.now(). */
  readonly deadline: number;
}

export interface Desk {
  readonly place: Place;
  /** On which the changes are told. */
  readonly channel: string;
  /** Wall-clock time, where it is not the database's that counts. */
  readonly now: () => number | undefined;
  /** Told after every transaction how it went: an error, or null. */
  readonly note: (error: unknown) => void;
  /** Told what stands, before those who wrote it. */
  readonly tell: (notices: readonly Notice[]) => void;
  /** Done before an erasure is told to be done. */
  readonly afterErasure: () => Promise<void>;
}

/** What became of a batch: it stands, it does not, or nobody knows. */
type Fate = { readonly kind: 'kept' } | { readonly kind: 'nothing' | 'unknown'; readonly cause: unknown };

/** Takes all works that wait into one transaction, which every other instance waits for. */
export class GroupCommit {
  readonly #desk: Desk;
  #jobs: Job[] = [];
  #running: Promise<void> | undefined;
  #line: Line | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  run<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#jobs.push({ work, resolve, reject, deadline: performance.now() + PATIENCE_MS });
      this.#running ??= this.#rounds();
    });
  }

  /** Lets waiting works finish, and the connection go. */
  async close(): Promise<void> {
    await this.#running;
    // A database that is not there any more would never say good-bye.
    await Promise.race([
      this.#line?.client.end().catch(() => undefined),
      sleep(FAREWELL_MS, undefined, { ref: false }),
    ]);
    this.#drop();
  }

  async #rounds(): Promise<void> {
    // Works that are asked for in one go share a transaction.
    await Promise.resolve();
    while (this.#jobs.length > 0) await this.#round(this.#jobs.splice(0, BATCH));
    this.#running = undefined;
  }

  /** Tries until it is done, or its oldest caller would wait too long. */
  async #round(jobs: Job[]): Promise<void> {
    const deadline = jobs[0]?.deadline ?? 0;
    for (;;) {
      const error = await this.#attempt(jobs, deadline);
      if (error === undefined) return;
      const hasTime = performance.now() + PAUSE_MS < deadline;
      if (isPassing(error) && hasTime) {
        await sleep(PAUSE_MS);
      } else if (jobs.length > 1 && hasTime) {
        // What the database refuses is the fault of one of them.
        for (const job of jobs) await this.#round([job]);
        return;
      } else {
        this.#desk.note(error);
        for (const job of jobs) job.reject(toFailure(error));
        return;
      }
    }
  }

  /** @returns why nothing was kept and no job was told anything, undefined where all were told. */
  async #attempt(jobs: Job[], deadline: number): Promise<unknown> {
    let transaction: Transaction | undefined;
    try {
      const line = (this.#line ??= await openLine(
        this.#desk.place,
        Math.min(CONNECT_MS, deadline - performance.now()),
      ));
      const now = this.#desk.now();
      transaction = new Transaction(line, deadline, now);
      const batch = new Batch(transaction, now);
      const decided = await batch.decide(jobs);
      // A work may have mistaken a lost connection for a refusal of its own.
      transaction.check();
      const mark = markOf(batch.accepted);
      if (mark === undefined) await transaction.rollBack();
      else {
        const notices = await batch.keep(await transaction.clock, this.#desk.channel);
        const fate = await this.#commit(transaction, mark, deadline);
        if (fate.kind === 'nothing') throw fate.cause;
        if (fate.kind === 'unknown') {
          this.#desk.note(fate.cause);
          for (const ended of decided) leaveOpen(ended, fate.cause);
          return undefined;
        }
        this.#desk.tell(notices);
        if (batch.accepted.erasedIds.size > 0) await this.#desk.afterErasure();
      }
      this.#desk.note(null);
      for (const ended of decided) tell(ended);
      return undefined;
    } catch (error) {
      this.#drop();
      return transaction?.failure ?? error;
    }
  }

  async #commit(transaction: Transaction, mark: Mark, deadline: number): Promise<Fate> {
    try {
      // Half of the time is left for finding out, where the answer does not come.
      const halfway = (performance.now() + deadline) / 2;
      return (await transaction.commit(halfway))
        ? { kind: 'kept' }
        : { kind: 'nothing', cause: transaction.failure };
    } catch (cause) {
      this.#drop();
      return this.#findOut(mark, deadline, cause);
    }
  }

  /** The answer to a commit was lost. Whoever holds the clock row afterwards sees whether it stands. */
  async #findOut(mark: Mark, deadline: number, cause: unknown): Promise<Fate> {
    while (performance.now() < deadline) {
      try {
        this.#line = await openLine(this.#desk.place, Math.min(CONNECT_MS, deadline - performance.now()));
        const transaction = new Transaction(this.#line, deadline, this.#desk.now());
        const stands = await standsIn(transaction, mark);
        await transaction.rollBack();
        return stands ? { kind: 'kept' } : { kind: 'nothing', cause };
      } catch {
        this.#drop();
        await sleep(PAUSE_MS);
      }
    }
    return { kind: 'unknown', cause };
  }

  #drop(): void {
    this.#line?.cut();
    this.#line = undefined;
  }
}

function tell({ job: { resolve, reject }, result }: Decided<Job>): void {
  if ('value' in result) resolve(result.value as never);
  else reject(result.refusal);
}

/** A work that only saw what nobody knows of has itself kept nothing. */
function leaveOpen(decided: Decided<Job>, cause: unknown): void {
  const { job, sees, keeps } = decided;
  if (sees === 0) tell(decided);
  else if (!keeps) job.reject(new StoreFailure('nothing', 'a write before this one failed', { cause }));
  else job.reject(new StoreFailure('unknown', troubleOf(cause), { cause }));
}
